package dev.dibs;

import dev.dibs.core.Arguments;
import dev.dibs.core.LeaseState;
import dev.dibs.core.Term;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * A lock that is held, for as long as it is renewed.
 *
 * <p>Dibs renews it in the background until it is closed. If renewals do not get through, the lease passes by itself and
 * somebody else may take the lock; this object knows before that ({@link #isValid}, {@link #check}, {@link #onLost}) and a
 * lost lease is lost for ever. What must be exclusive for certain is committed under {@link #guard}, or stored together with
 * {@link #fence} by something that refuses smaller numbers than it has seen.
 *
 * <p>Two cases are beyond the holder's knowledge, as {@code docs/safety.md} explains: a lock that was broken by force is
 * noticed at the next renewal, and a database failover may lose the newest commits.
 *
 * <p>Safe for use by any thread; belongs to none.
 */
public final class Lease implements AutoCloseable {

    private final LeaseKeeper keeper;
    private final LeaseKind kind;
    private final String name;
    private final String owner;
    private final long length;
    private final long hold;
    private final long slot;
    private final long fence;
    private final @Nullable Takeover takeover;
    private final AtomicReference<LeaseState> state;
    private final long thread = Thread.currentThread().getId();

    /** The threads that are in a guarded transaction. */
    final Set<Thread> guarding = ConcurrentHashMap.newKeySet();

    private final ReentrantLock callbacksLock = new ReentrantLock();
    private final List<Consumer<? super LeaseLostException>> callbacks = new ArrayList<>();
    private volatile @Nullable LeaseLostException loss;
    private volatile @Nullable Term doubted;

    /** Acquired, but not granted to anybody yet. */
    volatile boolean isWish;

    /** When the heartbeat should renew, as monotonic time. Only the heartbeat's hint: the state decides. */
    volatile long renewAt;

    Lease(
            LeaseKeeper keeper,
            LeaseRequest request,
            LeaseRow row,
            String owner,
            Term term,
            @Nullable Takeover takeover) {
        this.keeper = keeper;
        this.kind = request.kind();
        this.hold = request.hold();
        this.name = row.name();
        this.owner = owner;
        this.length = term.lease();
        this.slot = row.slot();
        this.fence = row.fence();
        this.takeover = takeover;
        this.state = new AtomicReference<>(term);
    }

    /** The lock's name. */
    public String name() {
        return name;
    }

    /**
     * The number of this acquisition. Every later acquisition of the same name, by anybody, has a greater one; of a semaphore,
     * every later one of the same {@link #slot}; but readers of a {@link ReadWriteLock} share one. It fits in 53 bits.
     */
    public long fence() {
        return fence;
    }

    /**
     * Which of a semaphore's permits this is: from 0 to one below their number, and nobody else's at the same time. Good for
     * sharing work out. 0 for what is no permit.
     */
    public int slot() {
        return Math.toIntExact(slot);
    }

    /**
     * From whom the lock was taken over; empty if its last holder had released it, or there was none. Empty too in the rare
     * case that the answer to the acquire was lost and the lease had to be looked up.
     */
    public Optional<Takeover> takeover() {
        return Optional.ofNullable(takeover);
    }

    /**
     * Whether the lease is certainly still ours. Asks the local clock and not the database. False for good once it was lost
     * or closed; false for the moment while the machine may have been suspended and the database was not asked since.
     */
    public boolean isValid() {
        Term term = term();
        return term != null && !inDoubt(term);
    }

    /**
     * How much of the lease is certainly left, without a further renewal; zero if it is not {@linkplain #isValid valid}.
     */
    public Duration remaining() {
        Term term = term();
        return term == null || inDoubt(term) ? Duration.ZERO : Duration.ofNanos(Math.max(0, term.remainingNanos()));
    }

    /**
     * Goes on only if the lease is still ours. Costs no round trip, except after the machine may have been suspended: then it
     * asks the database.
     *
     * @throws LeaseLostException if it is lost
     * @throws IllegalStateException if it was closed
     * @throws DibsException if the database had to be asked and could not be
     */
    public void check() {
        Term term = term();
        if (term != null && term.isInDoubt()) {
            keeper.confirm(this);
            term = term();
        }
        if (term == null) {
            throw whyOver();
        }
    }

    /**
     * Calls back once when the lease is lost, or its {@link Dibs} is closed under it, on a thread of Dibs; at once if that has
     * happened; never if it is closed before. Callbacks of several leases may run at the same time, on few threads: be short.
     * What a callback throws is logged.
     */
    public void onLost(Consumer<? super LeaseLostException> callback) {
        Arguments.required("callback", callback);
        LeaseLostException already;
        callbacksLock.lock();
        try {
            already = loss;
            if (already == null) {
                callbacks.add(callback);
            }
        } finally {
            callbacksLock.unlock();
        }
        if (already != null) {
            keeper.callBack(callback, already);
        }
    }

    /**
     * Makes the caller's transaction exclusive up to its commit: locks the lock's row, so that nobody can take the lock over
     * before the transaction ends, however long that takes.
     *
     * <p>Must be the first statement of the transaction and outside of any savepoint: a rollback to a savepoint drops the row
     * lock, and a snapshot that is older than the lease would show the predecessor's past. It may wait for a moment, as long as
     * the database lets it, if somebody else has the row locked. The transaction should take less
     * than two thirds of the lease; one that takes longer is still exclusive, but holds the name for as long as it is open, and on
     * databases where a renewal can not pass the row lock (all but PostgreSQL) the lease counts as lost after it.
     *
     * @param connection the caller's, to the same database, with autocommit off
     * @throws LeaseLostException if the lease is lost; roll back
     * @throws IllegalStateException if autocommit is on (the row lock would end with the statement), or the lease is closed
     * @throws DibsException if the statement failed; roll back
     */
    public void guard(Connection connection) {
        if (term() == null) {
            throw whyOver();
        }
        keeper.guard(this, connection);
    }

    /**
     * Runs work in a transaction that is exclusive up to its commit: takes a connection, {@linkplain #guard guards}, runs,
     * commits; rolls back if anything is thrown.
     *
     * @param dataSource a data source of the same database that does not bind its connections to a running transaction
     * @throws X whatever the work throws; the transaction is rolled back
     * @throws LeaseLostException if the lease is lost; the work did not run
     * @throws IllegalStateException if the lease is closed, or this thread is inside of such work of the same lease: the second
     *     transaction would wait for the first one, which waits for it
     * @throws DibsException if the connection, the guard or the commit failed
     */
    public <X extends Exception> void inTransaction(DataSource dataSource, TransactionWork<X> work) throws X {
        GuardedTransaction.run(this, dataSource, work);
    }

    /**
     * Releases the lock, so that the next one can have it at once. Does nothing the second time. Never waits for a row lock
     * and never throws: inside an open guarded transaction, or when the database can not be reached, the release is handed to
     * the background; if nothing helps, the lease ends by time. On MariaDB and MySQL that is also done, rarely and for some milliseconds, if
     * others try to get the lock at that instant. If the release finds that somebody has broken the lock, that is logged,
     * and {@link DibsListener#lost} is called. To get an exception for it use {@code run} or {@code tryRun}.
     */
    @Override
    public void close() {
        boolean unused = release();
    }

    /** Closes it, for somebody who must know of a loss: that it turns out to be somebody else's counts, too. */
    void closeOrThrow() {
        try (this) {
            if (!isClosed()) {
                check();
            }
        }
        LeaseLostException lost = loss;
        if (lost != null) {
            throw lost;
        }
    }

    /** The release of what was ours as far as we knew has found that it is not. */
    LeaseLostException wasLost() {
        LeaseLostException lost = new LeaseLostException(
                name, fence(), "its release found that it was not ours any more; it was broken or taken over before");
        loss = lost;
        return lost;
    }

    /** Closes it; returns whether the database has said that it was ours up to now. */
    boolean release() {
        return end(LeaseState.End.RELEASED) && keeper.release(this);
    }

    /** Ends it here alone: nobody else gets the lock before {@link #releaseEnded}, or the lease's end. Returns false if it was over. */
    boolean endHere() {
        boolean ended = end(LeaseState.End.RELEASED);
        if (ended) {
            keeper.forget(this);
        }
        return ended;
    }

    /** Releases the lock of a lease that has ended here. */
    void releaseEnded() {
        boolean unused = keeper.release(this);
    }

    /** Ends it here, for somebody who ends it in the database by a statement of his own. Returns false if it was over. */
    boolean closeHere() {
        boolean ended = end(LeaseState.End.RELEASED);
        if (ended) {
            keeper.closedHere(this);
        }
        return ended;
    }

    /** That statement did not get through: the row is let go as soon as possible. */
    void releaseLater() {
        keeper.releaseLater(this);
    }

    @Override
    public String toString() {
        String now = state.get() instanceof LeaseState.End end ? end.name().toLowerCase(Locale.ROOT) : "held";
        return "Lease[" + name + ", fence " + fence() + ", " + now + "]";
    }

    LeaseKind kind() {
        return kind;
    }

    /** The number of the thread that acquired it. */
    long thread() {
        return thread;
    }

    String owner() {
        return owner;
    }

    long length() {
        return length;
    }

    long hold() {
        return hold;
    }

    boolean isClosed() {
        return state.get() == LeaseState.End.RELEASED;
    }

    boolean isOver() {
        return term() == null;
    }

    /** The running term, or null if the lease is over. Whoever is first to see that it has passed makes that final. */
    @Nullable
    Term term() {
        while (state.get() instanceof Term term) {
            if (!term.isOver()) {
                return term;
            }
            lose(term, "it passed without a renewal that got through in time");
        }
        return null;
    }

    /** Returns false if it was over already. */
    private boolean end(LeaseState.End how) {
        for (Term term = term(); term != null; term = term()) {
            if (state.compareAndSet(term, how)) {
                return true;
            }
        }
        return false;
    }

    /**
     * Extends what has not passed; an answer that comes too late changes nothing, nor does one that was overtaken by the
     * answer to a later statement.
     */
    void extend(Term next) {
        while (state.get() instanceof Term term && !term.isOver() && next.isLaterThan(term)) {
            if (state.compareAndSet(term, next)) {
                return;
            }
        }
    }

    /** Ends the lease as lost, if it is still running. */
    void lose(String reason) {
        while (state.get() instanceof Term term) {
            lose(term, reason);
        }
    }

    private void lose(Term term, String reason) {
        if (state.compareAndSet(term, LeaseState.End.LOST)) {
            // First, so that nothing that fails below leaves it among those that are renewed.
            keeper.forget(this);
            LeaseLostException lost = tell(reason);
            keeper.lost(this, lost);
        }
    }

    /** Ends the lease because its Dibs is closed; whoever still works under it is told. Returns false if it was over. */
    boolean endWithDibs() {
        boolean ended = end(LeaseState.End.CUT);
        if (ended) {
            tell("its Dibs was closed");
        }
        return ended;
    }

    private LeaseLostException tell(String reason) {
        LeaseLostException lost = new LeaseLostException(name, fence(), reason);
        takeCallbacks(lost).forEach(callback -> keeper.callBack(callback, lost));
        return lost;
    }

    private List<Consumer<? super LeaseLostException>> takeCallbacks(LeaseLostException lost) {
        callbacksLock.lock();
        try {
            loss = lost;
            List<Consumer<? super LeaseLostException>> taken = List.copyOf(callbacks);
            callbacks.clear();
            return taken;
        } finally {
            callbacksLock.unlock();
        }
    }

    /** Has the heartbeat ask, once for each term: it repeats by itself. */
    private boolean inDoubt(Term term) {
        boolean doubt = term.isInDoubt();
        if (doubt && !term.equals(doubted)) {
            doubted = term;
            keeper.renewSoon(this);
        }
        return doubt;
    }

    private RuntimeException whyOver() {
        if (state.get() == LeaseState.End.RELEASED) {
            return new IllegalStateException("the lease on '" + name + "' (fence " + fence() + ") is closed");
        }
        LeaseLostException lost = loss;
        // The thread that found the loss may be about to write down why.
        return lost != null ? lost : new LeaseLostException(name, fence(), "it has passed");
    }
}
