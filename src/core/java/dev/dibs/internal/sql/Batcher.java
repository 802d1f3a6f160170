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
 * Sends what comes one by one as it comes, and what comes while enough is under way as one statement: many callers then share a
 * connection, a round trip and a commit.
 *
 * <p>It has no thread of its own and never delays anybody who comes alone. Up to {@value #DIRECT} callers send their own statements at
 * once. Who comes then queues, first come, first served; whoever has got an answer makes way for the head of the queue, which sends for
 * itself and for all behind it whose questions can go along.
 *
 * <p>While a statement of somebody who had queued is under way, who asks the same waits for its answer, to go together in the next one: a few large
 * statements cost the database less than many small ones. They do not wait if enough callers queue to fill another one, nor for
 * longer than {@value #GATHERING_MILLIS} ms, so that a database that takes its time has several at once, and what hangs holds up nobody else.
 * Those who were answered together come back together, though not all in the same instant: who would lead far fewer than went just before
 * lets others come for a tenth of a millisecond.
 *
 * <p>Safe for use by many threads at once. An interrupt does not end the wait, as it does not end a statement: the caller's flag is set
 * again afterwards.
 */
public final class Batcher {

    /** More at once gain nothing: the database's disk and processors are busy, and a pool of ten has some left for others. */
    static final int DIRECT = 8;

    /** More in one statement gain little, and hold each other up. */
    static final int LARGEST = 64;

    /** A statement of many takes less where the database is near. */
    static final int GATHERING_MILLIS = 5;

    private static final Duration MOMENT = Duration.ofNanos(100_000);

    private final long gathering;
    private final long moment;
    private final ReentrantLock lock = new ReentrantLock();
    private final Queue<Caller<?, ?>> queue = new ArrayDeque<>();
    private int underWay;
    /** Of these, those of who had queued, with or without company. */
    private final List<OneOrMany<?, ?>> led = new ArrayList<>();
    /** How many went together just before, or half of those before them. */
    private int crowd;

    /** With nothing under way. */
    public Batcher() {
        this(Duration.ofMillis(GATHERING_MILLIS), MOMENT);
    }

    Batcher(Duration gathering, Duration moment) {
        this.gathering = gathering.toNanos();
        this.moment = moment.toNanos();
    }

    /**
     * A statement that there is for one question and for many. Questions of statements that are equal go together.
     *
     * @param <Q> a question
     * @param <A> its answer
     */
    public interface OneOrMany<Q, A> {
        /** What no two questions of one statement may have in common. */
        Object key(Q question);

        /** Asks for one. */
        A one(Q question) throws SqlFailure;

        /** Asks for many, and returns the answers in their order. Either all are asked or none. */
        List<A> many(List<Q> questions) throws SqlFailure;

        /** What who has queued in vain is told, and has not sent anything: a failure, if nothing else is said. */
        default A outOfTurn(SqlFailure failure) throws SqlFailure {
            throw failure;
        }
    }

    /** Whether the caller may send a statement of its own at once. If so, it calls {@link #end} after that. */
    public boolean tryBegin() {
        lock.lock();
        try {
            boolean may = underWay < DIRECT && led.isEmpty() && queue.isEmpty();
            if (may) {
                underWay++;
            }
            return may;
        } finally {
            lock.unlock();
        }
    }

    /** The answer to a statement that was begun is here. */
    public void end() {
        change(() -> underWay--);
    }

    /**
     * Asks the database, alone or together with others who ask at the same time.
     *
     * @param patience how long to queue; what is under way may hang in a dead connection
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
            // It has queued for long enough, but may not be the first who has.
            change(() -> {});
            interrupted |= caller.await(patience);
        }
        if (caller.waits()) {
            giveUp(caller);
        }
        interrupted |= caller.await(Long.MAX_VALUE);
        return interrupted;
    }

    /** Unless it has its turn already, or somebody sends for it. */
    private void giveUp(Caller<?, ?> caller) {
        boolean queued;
        lock.lock();
        try {
            queued = queue.remove(caller);
        } finally {
            lock.unlock();
        }
        if (queued) {
            caller.outOfTurn(new SqlFailure(
                    "the wait for its turn",
                    SqlFailure.Outcome.NOT_SENT,
                    new SQLTimeoutException(
                            "all of the " + DIRECT + " statements that go at once are waiting for their answers")));
            caller.wake(Caller.State.ANSWERED);
        }
    }

    /** Tells the first who may go after it. */
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

    /** Takes the first who may go now out of the queue. */
    private @Nullable Caller<?, ?> next() {
        if (underWay < DIRECT) {
            for (Caller<?, ?> caller : queue) {
                if (!led.contains(caller.statement) || caller.queuedFor() >= gathering || queue.size() >= LARGEST) {
                    queue.remove(caller);
                    underWay++;
                    led.add(caller.statement);
                    return caller;
                }
            }
        }
        return null;
    }

    /** Whatever happens, all who go along are told and the next one may go. */
    private <Q, A> void lead(Caller<Q, A> leader) throws SqlFailure {
        List<Caller<Q, A>> all = new ArrayList<>(LARGEST);
        all.add(leader);
        try {
            if (areFew()) {
                LockSupport.parkNanos(moment);
            }
            addCompany(all);
            send(all);
        } catch (Throwable e) {
            SqlFailure failure = e instanceof SqlFailure known
                    ? known
                    : new SqlFailure("one of many", SqlFailure.Outcome.UNKNOWN, e);
            for (Caller<Q, A> caller : all) {
                // Each throws an exception of its own.
                caller.failed(all.size() == 1 ? failure : failure.asOneOfMany());
            }
        } finally {
            change(() -> {
                underWay--;
                led.remove(leader.statement);
            });
            all.subList(1, all.size()).forEach(caller -> caller.wake(Caller.State.ANSWERED));
        }
    }

    private boolean areFew() {
        lock.lock();
        try {
            return crowd > DIRECT && queue.size() < crowd / 2;
        } finally {
            lock.unlock();
        }
    }

    private <Q, A> void addCompany(List<Caller<Q, A>> all) {
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
            crowd = Math.max(all.size(), crowd / 2);
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

    /** Somebody who asks; what is told to a caller that waits is told before it is woken. */
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

        /** Equal statements take the same questions. */
        @SuppressWarnings("unchecked")
        Caller<Q, A> alike(Caller<?, ?> other) {
            return (Caller<Q, A>) other;
        }

        /**
         * Until it is told something, or has been queued for that long. Returns whether the thread was interrupted meanwhile.
         *
         * @param most in nanoseconds
         */
        boolean await(long most) {
            boolean interrupted = false;
            for (long left = most; waits() && left > 0; left = most - queuedFor()) {
                LockSupport.parkNanos(this, left);
                interrupted |= Thread.interrupted();
            }
            return interrupted;
        }

        /** In nanoseconds. */
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

        void answered(A told) {
            answer = told;
        }

        void outOfTurn(SqlFailure e) {
            try {
                answer = statement.outOfTurn(e);
            } catch (SqlFailure known) {
                failure = known;
            }
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
