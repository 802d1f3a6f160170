package dev.dibs.internal.sql;

import java.sql.SQLTimeoutException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Sends the calls of many threads: each alone while few are running, and in batches while many are. The callers of a batch share a
 * connection, a round trip and a commit.
 *
 * <p>It has no thread of its own, and never delays a caller that comes alone. Up to {@value #DIRECT} callers send their own statements at
 * once. Further callers queue, first come, first served. When an answer arrives, the first one in the queue becomes the leader of a batch:
 * it sends for itself and for the callers behind it that fit into the batch.
 *
 * <p>While a batch runs, callers of the same statement wait and form the next batch: a few large statements cost the database less than
 * many small ones. They do not wait if the queue is long enough for another full batch, nor longer than {@value #GATHERING_MILLIS} ms. So a
 * slow database gets several batches at once, and a hanging batch delays nobody else. The callers of a batch return almost together. If far
 * fewer than in the last batch have queued by then, the leader waits for a tenth of a millisecond.
 *
 * <p>Safe for use by many threads at once. An interrupt does not end the wait, as it does not end a statement: the caller's flag is set
 * again afterwards.
 */
public final class Batcher {

    /** More at once gain nothing: the database's disk and processors are busy, and a pool of ten has some connections left for others. */
    static final int DIRECT = 8;

    /** A larger batch gains little, and its callers delay each other. */
    static final int LARGEST = 64;

    /** A batch takes less time if the database is near. */
    static final int GATHERING_MILLIS = 5;

    private static final Duration PAUSE = Duration.ofNanos(100_000);

    private final long gathering;
    private final long pause;
    private final ReentrantLock lock = new ReentrantLock();
    private final Queue<Caller<?, ?>> queue = new ArrayDeque<>();
    private int running;
    /** Those of the running statements that were sent from the queue, as a batch or alone. */
    private final List<OneOrMany<?, ?>> fromQueue = new ArrayList<>();
    /** The size of the last batch, or half the size that was remembered before it. */
    private int lastBatchSize;

    /** Nothing is running yet. */
    public Batcher() {
        this(Duration.ofMillis(GATHERING_MILLIS), PAUSE);
    }

    Batcher(Duration gathering, Duration pause) {
        this.gathering = gathering.toNanos();
        this.pause = pause.toNanos();
    }

    /**
     * A statement with two forms: for one question, and for many. A batch has questions of equal statements.
     *
     * @param <Q> a question
     * @param <A> its answer
     */
    public interface OneOrMany<Q, A> {
        /** The key of a question: a batch has each key once. */
        Object key(Q question);

        /** Sends one question. */
        A one(Q question) throws SqlFailure;

        /** Sends many questions, and returns the answers in their order. Either all are sent or none. */
        List<A> many(List<Q> questions) throws SqlFailure;
    }

    /** Whether the caller may send a statement of its own at once. If so, it calls {@link #end} after that. */
    public boolean tryBegin() {
        lock.lock();
        try {
            boolean may = running < DIRECT && fromQueue.isEmpty() && queue.isEmpty();
            if (may) {
                running++;
            }
            return may;
        } finally {
            lock.unlock();
        }
    }

    /** The answer to a statement after {@link #tryBegin} has arrived. */
    public void end() {
        change(() -> running--);
    }

    /**
     * Sends a question, alone or in a batch.
     *
     * @param patience how long to queue; running statements may hang in dead connections
     */
    public <Q, A> A ask(OneOrMany<Q, A> statement, Q question, Duration patience) throws SqlFailure {
        if (tryBegin()) {
            try {
                return statement.one(question);
            } finally {
                end();
            }
        }
        Caller<Q, A> caller = new Caller<>(statement, question);
        change(() -> queue.add(caller));
        boolean interrupted = await(caller, patience.toNanos());
        try {
            if (caller.leads()) {
                lead(caller);
            }
            return caller.answer();
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Returns whether the thread was interrupted meanwhile. */
    private boolean await(Caller<?, ?> caller, long patience) {
        boolean interrupted = caller.await(Math.min(gathering, patience));
        if (caller.waits()) {
            // It has queued long enough to lead now, but others may have queued longer.
            change(() -> {});
            interrupted |= caller.await(patience);
        }
        if (caller.waits()) {
            giveUp(caller);
        }
        interrupted |= caller.await(Long.MAX_VALUE);
        return interrupted;
    }

    /** Removes a caller from the queue, unless it leads already or is part of a batch. */
    private void giveUp(Caller<?, ?> caller) {
        boolean queued;
        lock.lock();
        try {
            queued = queue.remove(caller);
        } finally {
            lock.unlock();
        }
        if (queued) {
            caller.failed(new SqlFailure(
                    "the wait for its turn",
                    SqlFailure.Outcome.NOT_SENT,
                    new SQLTimeoutException(
                            "all of the " + DIRECT + " statements that go at once are waiting for their answers")));
            caller.wake(Caller.State.ANSWERED);
        }
    }

    /** Makes a change, and wakes the caller that may lead after it. */
    private void change(Runnable what) {
        Caller<?, ?> next;
        lock.lock();
        try {
            what.run();
            next = next();
        } finally {
            lock.unlock();
        }
        if (next != null) {
            next.wake(Caller.State.LEADS);
        }
    }

    /** Removes the first caller that may lead now from the queue. */
    private @Nullable Caller<?, ?> next() {
        if (running < DIRECT) {
            for (Caller<?, ?> caller : queue) {
                if (!fromQueue.contains(caller.statement)
                        || caller.queuedFor() >= gathering
                        || queue.size() >= LARGEST) {
                    queue.remove(caller);
                    running++;
                    fromQueue.add(caller.statement);
                    return caller;
                }
            }
        }
        return null;
    }

    /** Whatever happens, all callers of the batch get an answer, and the next leader is woken. */
    private <Q, A> void lead(Caller<Q, A> leader) throws SqlFailure {
        List<Caller<Q, A>> all = new ArrayList<>(LARGEST);
        all.add(leader);
        try {
            if (isSmallerThanLast()) {
                LockSupport.parkNanos(pause);
            }
            fillBatch(all);
            send(all);
        } catch (Throwable e) {
            SqlFailure failure = e instanceof SqlFailure known
                    ? known
                    : new SqlFailure("one of many", SqlFailure.Outcome.UNKNOWN, e);
            for (Caller<Q, A> caller : all) {
                // Each caller throws an exception of its own.
                caller.failed(all.size() == 1 ? failure : failure.asOneOfMany());
            }
        } finally {
            change(() -> {
                running--;
                fromQueue.remove(leader.statement);
            });
            all.subList(1, all.size()).forEach(caller -> caller.wake(Caller.State.ANSWERED));
        }
    }

    private boolean isSmallerThanLast() {
        lock.lock();
        try {
            return lastBatchSize > DIRECT && queue.size() < lastBatchSize / 2;
        } finally {
            lock.unlock();
        }
    }

    private <Q, A> void fillBatch(List<Caller<Q, A>> all) {
        Caller<Q, A> leader = all.get(0);
        Set<Object> keys = new HashSet<>(Set.of(leader.key()));
        lock.lock();
        try {
            for (Iterator<Caller<?, ?>> others = queue.iterator(); others.hasNext() && all.size() < LARGEST; ) {
                Caller<?, ?> other = others.next();
                if (other.statement.equals(leader.statement) && keys.add(other.key())) {
                    all.add(leader.alike(other));
                    others.remove();
                }
            }
            lastBatchSize = Math.max(all.size(), lastBatchSize / 2);
        } finally {
            lock.unlock();
        }
    }

    private static <Q, A> void send(List<Caller<Q, A>> all) throws SqlFailure {
        OneOrMany<Q, A> statement = all.get(0).statement;
        if (all.size() == 1) {
            all.get(0).answered(statement.one(all.get(0).question));
            return;
        }
        List<A> answers =
                statement.many(all.stream().map(caller -> caller.question).toList());
        for (int i = 0; i < all.size(); i++) {
            all.get(i).answered(answers.get(i));
        }
    }

    /** A caller. Its answer is set before it is woken. */
    private static final class Caller<Q, A> {

        private enum State {
            WAITS,
            LEADS,
            ANSWERED
        }

        private final OneOrMany<Q, A> statement;
        private final Q question;
        private final Thread thread = Thread.currentThread();
        private final long since = System.nanoTime();
        private volatile State state = State.WAITS;
        private @Nullable A answer;
        private @Nullable SqlFailure failure;

        Caller(OneOrMany<Q, A> statement, Q question) {
            this.statement = statement;
            this.question = question;
        }

        Object key() {
            return statement.key(question);
        }

        /** Equal statements have questions of the same type. */
        @SuppressWarnings("unchecked")
        Caller<Q, A> alike(Caller<?, ?> other) {
            return (Caller<Q, A>) other;
        }

        /**
         * Waits until the caller is woken, or has been queued for that long. Returns whether the thread was interrupted meanwhile.
         *
         * @param most in nanoseconds
         */
        boolean await(long most) {
            boolean interrupted = false;
            for (long left = most; waits() && left > 0; left = most - queuedFor()) {
                LockSupport.parkNanos(this, left);
                interrupted |= Thread.interrupted();
            }
            // It may have been woken before it saw the interrupt.
            interrupted |= Thread.interrupted();
            return interrupted;
        }

        /** The time in the queue, in nanoseconds. */
        long queuedFor() {
            return System.nanoTime() - since;
        }

        boolean waits() {
            return state == State.WAITS;
        }

        boolean leads() {
            return state == State.LEADS;
        }

        void wake(State next) {
            state = next;
            LockSupport.unpark(thread);
        }

        void answered(A result) {
            answer = result;
        }

        void failed(SqlFailure e) {
            failure = e;
        }

        A answer() throws SqlFailure {
            if (failure != null) {
                throw failure;
            }
            return Objects.requireNonNull(answer);
        }
    }
}
