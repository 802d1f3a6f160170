package dev.dibs.internal.sql.batch;

import dev.dibs.internal.sql.errors.SqlFailure;
import dev.dibs.internal.time.Mutex;
import java.sql.SQLTimeoutException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
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
 * slow database gets several batches at once, and a hanging batch delays no other. The callers of a batch return almost together. If far
 * fewer than in the last batch have queued by then, the leader waits for a tenth of a millisecond.
 *
 * <p>Trouble of the leader is not that of the others. If it gets no connection, nothing was sent: it fails alone, and the others queue
 * again, in front. If the next leader gets no connection either, all callers of its batch fail: they must not try a dead database one after
 * the other. But an interrupt of a leader says nothing about the database, and does not count. If a leader is interrupted while it
 * sends, or an error strikes its thread, the others do not know the outcome: {@link SqlFailure#isOfAnother}.
 *
 * <p>A caller queues no longer than it would wait for an answer, and fails then.
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
    private final Mutex lock = new Mutex();
    private final List<QueuedCaller<?, ?>> queue = new ArrayList<>();
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

        A one(Q question) throws SqlFailure;

        /** Sends many questions, and returns the answers in their order. Either all are sent or none. */
        List<A> many(List<Q> questions) throws SqlFailure;
    }

    /** Whether the caller may send a statement of its own at once. If so, it calls {@link #end} after that. */
    public boolean tryBegin() {
        try (Mutex.Held unused = lock.hold()) {
            boolean may = running < DIRECT && fromQueue.isEmpty() && queue.isEmpty();
            if (may) {
                running++;
            }
            return may;
        }
    }

    /** The answer to a statement after {@link #tryBegin} has arrived. */
    public void end() {
        QueuedCaller<?, ?> next;
        try (Mutex.Held unused = lock.hold()) {
            running--;
            next = queue.isEmpty() ? null : next();
        }
        if (next != null) {
            next.unpark();
        }
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
        QueuedCaller<Q, A> caller = new QueuedCaller<>(statement, question, patience.toNanos());
        boolean interrupted = false;
        try {
            change(() -> queue.add(caller));
            interrupted = await(caller);
            if (caller.leads()) {
                lead(caller);
            }
            return caller.answer();
        } finally {
            if (!caller.isAnswered()) {
                withdraw(caller);
            }
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Returns whether the thread was interrupted. */
    private boolean await(QueuedCaller<?, ?> caller) {
        boolean interrupted = caller.await(Math.min(gathering, caller.patience));
        if (caller.waits()) {
            // It has queued long enough to lead now, but others may have queued longer.
            change(() -> {});
            interrupted |= caller.await(caller.patience);
        }
        if (caller.waits()) {
            giveUp(caller);
        }
        interrupted |= caller.await(Long.MAX_VALUE);
        return interrupted;
    }

    /** Removes a caller from the queue, unless it leads already or is part of a batch. */
    private void giveUp(QueuedCaller<?, ?> caller) {
        try (Mutex.Held unused = lock.hold()) {
            if (queue.remove(caller)) {
                caller.failure = outOfTime();
                caller.wake();
            }
        }
    }

    private static SqlFailure outOfTime() {
        return new SqlFailure(
                "the wait for its turn",
                SqlFailure.Outcome.NOT_SENT,
                new SQLTimeoutException(
                        "all of the " + DIRECT + " statements that go at once are waiting for their answers"));
    }

    /** An error has struck the thread before it had sent: another one leads in its place. */
    private void withdraw(QueuedCaller<?, ?> caller) {
        change(() -> {
            if (!queue.remove(caller) && caller.leads()) {
                running--;
                fromQueue.remove(caller.statement);
            }
        });
    }

    /** Makes a change, and wakes the caller that may lead after it. */
    private void change(Runnable what) {
        QueuedCaller<?, ?> next;
        try (Mutex.Held unused = lock.hold()) {
            what.run();
            next = next();
        }
        if (next != null) {
            next.unpark();
        }
    }

    /** Removes the first caller that may lead now from the queue. */
    private @Nullable QueuedCaller<?, ?> next() {
        if (running < DIRECT) {
            for (QueuedCaller<?, ?> caller : queue) {
                if (!fromQueue.contains(caller.statement)
                        || caller.queuedFor() >= gathering
                        || queue.size() >= LARGEST) {
                    queue.remove(caller);
                    caller.makeLeader();
                    running++;
                    fromQueue.add(caller.statement);
                    return caller;
                }
            }
        }
        return null;
    }

    /** In any case each other caller of the batch gets an answer or queues again, and the next leader is woken. */
    private <Q, A> void lead(QueuedCaller<Q, A> leader) {
        List<QueuedCaller<Q, A>> all = new ArrayList<>(LARGEST);
        all.add(leader);
        List<QueuedCaller<Q, A>> again = new ArrayList<>();
        try {
            if (isSmallerThanLast()) {
                LockSupport.parkNanos(pause);
            }
            fillBatch(all);
            send(all);
        } catch (SqlFailure e) {
            again.addAll(failed(all, e));
        } catch (Throwable e) {
            all.forEach(caller -> caller.failure = e);
            throw e;
        } finally {
            end(leader, again);
            all.removeAll(again);
            all.forEach(QueuedCaller::wake);
        }
    }

    /** Gives each caller of a batch its failure. Returns those that queue again if they have the time. */
    private static <Q, A> List<QueuedCaller<Q, A>> failed(List<QueuedCaller<Q, A>> all, SqlFailure failure) {
        QueuedCaller<Q, A> leader = all.get(0);
        if (all.size() == 1) {
            leader.failure = failure;
            return List.of();
        }
        boolean interrupted = Thread.currentThread().isInterrupted();
        boolean again = failure.isNotSent() && (interrupted || !leader.hadNoConnection);
        List<QueuedCaller<Q, A>> others = all.subList(1, all.size());
        // Each caller throws an exception of its own.
        leader.failure = failure.asOneOfMany();
        for (QueuedCaller<Q, A> other : others) {
            if (interrupted) {
                other.failure = again ? outOfTime() : failure.ofAnother();
            } else {
                other.failure = failure.asOneOfMany();
                other.hadNoConnection = again;
            }
        }
        return again ? others : List.of();
    }

    private <Q, A> void end(QueuedCaller<Q, A> leader, List<QueuedCaller<Q, A>> again) {
        change(() -> {
            running--;
            fromQueue.remove(leader.statement);
            if (!again.isEmpty()) {
                again.removeIf(caller -> !caller.hasTime());
                queue.addAll(again);
                // In the order in which they came.
                queue.sort((one, other) -> Long.signum(one.since - other.since));
            }
        });
    }

    private boolean isSmallerThanLast() {
        try (Mutex.Held unused = lock.hold()) {
            return lastBatchSize > DIRECT && queue.size() < lastBatchSize / 2;
        }
    }

    private <Q, A> void fillBatch(List<QueuedCaller<Q, A>> all) {
        QueuedCaller<Q, A> leader = all.get(0);
        Set<Object> keys = new HashSet<>(Set.of(leader.key()));
        try (Mutex.Held unused = lock.hold()) {
            for (Iterator<QueuedCaller<?, ?>> others = queue.iterator(); others.hasNext() && all.size() < LARGEST; ) {
                QueuedCaller<?, ?> other = others.next();
                if (other.statement.equals(leader.statement) && keys.add(other.key())) {
                    all.add(leader.alike(other));
                    others.remove();
                }
            }
            lastBatchSize = Math.max(all.size(), lastBatchSize / 2);
        }
    }

    private static <Q, A> void send(List<QueuedCaller<Q, A>> all) throws SqlFailure {
        OneOrMany<Q, A> statement = all.get(0).statement;
        if (all.size() == 1) {
            all.get(0).answer = statement.one(all.get(0).question);
            return;
        }
        List<A> answers =
                statement.many(all.stream().map(caller -> caller.question).toList());
        if (answers.size() != all.size()) {
            throw new IllegalStateException(answers.size() + " answers to " + all.size() + " questions");
        }
        for (int i = 0; i < all.size(); i++) {
            all.get(i).answer = answers.get(i);
        }
    }
}
