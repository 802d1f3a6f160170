package dev.dibs;

import dev.dibs.core.Arguments;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.locks.Lock;

/**
 * A lock by name: at most one holder at a time, over all processes that use the same table.
 *
 * <p>Made by {@link Dibs#lock}. Immutable, cheap, safe for use by any thread. Not reentrant: it belongs to the {@link Lease},
 * not to a thread, so who holds it and asks again is busy like everybody else. After {@link Dibs#close()} every method that
 * acquires throws {@code IllegalStateException}.
 */
public final class NamedLock {

    static final Duration SHORTEST_LEASE = Duration.ofMillis(100);
    static final Duration LONGEST_LEASE = Duration.ofDays(1);

    static final Duration LONGEST_HOLD = Duration.ofDays(1);

    private final LockRequest request;
    private final boolean isFair;
    private final Acquisition acquisition;

    NamedLock(Acquirer acquirer, LockRequest request, Duration lease) {
        this(acquirer, request, false, lease);
    }

    private NamedLock(Acquirer acquirer, LockRequest request, boolean isFair, Duration lease) {
        this.request = request;
        this.isFair = isFair;
        this.acquisition = new Acquisition(acquirer, isFair ? new FairRequest(request, null) : request, lease);
    }

    static Duration checkLease(Duration lease) {
        return Arguments.within("lease", lease, SHORTEST_LEASE, LONGEST_LEASE);
    }

    void requireOpen() {
        acquisition.acquirer().requireOpen();
    }

    /** The lock's name. */
    public String name() {
        return acquisition.name();
    }

    /**
     * The same lock with another lease length: how long after its last renewal a holder that vanished keeps the lock. It is
     * renewed every third of it.
     *
     * @param lease from 100 milliseconds to one day; shorter than 5 seconds only where pauses of the JVM and the network are
     *     known to be short
     * @throws IllegalArgumentException if it is out of these bounds
     */
    public NamedLock leaseFor(Duration lease) {
        return new NamedLock(acquisition.acquirer(), request, isFair, checkLease(lease));
    }

    /**
     * The same lock, but first come, first served, over all processes: who waits keeps a place in a line, and who comes later, even if the
     * lock is free at that moment, waits behind. Between two that come within a few milliseconds either may be first. A place whose process has
     * vanished is kept for the lease's length, 10 seconds at most. All who use the name must ask like this: who does not is
     * not kept out. It costs a statement more for each acquire and at least two for each wait, and a lock that is released lies idle until
     * the next in line asks.
     */
    public NamedLock fair() {
        return new NamedLock(acquisition.acquirer(), request, true, acquisition.lease());
    }

    /**
     * The same lock, but for whoever gets it from here it stays busy for a while at least, counted from its acquisition: if it is
     * released before, or its holder dies, nobody gets it before that time is over. So a short job does not run twice where several
     * machines start it by clocks that differ by seconds. While it is held back so there is no holder to name.
     *
     * @param hold from zero, for a lock that is free when it is released, to one day
     * @throws IllegalArgumentException if it is out of these bounds
     */
    public NamedLock holdAtLeast(Duration hold) {
        Arguments.within("hold", hold, Duration.ZERO, LONGEST_HOLD);
        LockRequest held = new LockRequest(request.calls(), name(), hold.toMillis());
        return new NamedLock(acquisition.acquirer(), held, isFair, acquisition.lease());
    }

    /**
     * Acquires the lock if nobody has it; never waits for a holder. It may take as long as the pool needs for a connection and
     * the database for an answer (10 seconds at most a statement, where the driver knows network timeouts), and a second of retries if
     * the database rolls back.
     *
     * @return the lease, to be closed; empty if somebody has the lock
     * @throws NotAcquiredException if the thread is interrupted between such retries; its interrupt flag is set
     * @throws DibsException if the database can not be asked or gives no clear answer
     */
    public Optional<Lease> tryAcquire() {
        return tryAcquire(Duration.ZERO);
    }

    /**
     * Acquires the lock, waiting for its holder for a while. No connection is held meanwhile.
     *
     * @param wait how long at most; zero for not at all
     * @return the lease, to be closed; empty if somebody still has the lock
     * @throws NotAcquiredException if the thread is interrupted; its interrupt flag is set
     * @throws IllegalArgumentException if {@code wait} is negative
     * @throws DibsException if the database can not be asked or gives no clear answer
     */
    public Optional<Lease> tryAcquire(Duration wait) {
        return Optional.ofNullable(acquisition.attempt(wait).lease());
    }

    /**
     * Acquires the lock, waiting for its holder for a while. No connection is held meanwhile.
     *
     * @param wait how long at most; zero for not at all
     * @return the lease, to be closed
     * @throws NotAcquiredException if somebody still has the lock, saying who; or if the thread is interrupted
     * @throws IllegalArgumentException if {@code wait} is negative
     * @throws DibsException if the database can not be asked or gives no clear answer
     */
    public Lease acquire(Duration wait) {
        return acquisition.acquire(wait);
    }

    /**
     * Does the work under the lock, or nothing if somebody has it.
     *
     * @return whether the work was done
     * @throws X whatever the work throws
     * @throws NotAcquiredException if the thread is interrupted between retries; its interrupt flag is set
     * @throws LeaseLostException if the lease was lost before the work ended, so that it may have had company
     * @throws DibsException if the database can not be asked or gives no clear answer
     */
    public <X extends Exception> boolean tryRun(LeaseWork<X> work) throws X {
        return acquisition.tryRun(work);
    }

    /**
     * Does the work under the lock, waiting for its holder for a while.
     *
     * @param wait how long at most; zero for not at all
     * @throws X whatever the work throws
     * @throws NotAcquiredException if somebody still has the lock; the work was not done
     * @throws LeaseLostException if the lease was lost before the work ended, so that it may have had company
     * @throws DibsException if the database can not be asked or gives no clear answer
     */
    public <X extends Exception> void run(Duration wait, LeaseWork<X> work) throws X {
        acquisition.run(wait, work);
    }

    /**
     * The same lock for code that expects a {@link Lock}. There it belongs to a thread, which may lock it again and has to unlock it as
     * often; other threads are as other processes are. Each call returns an object that knows only of what was locked by itself, so
     * keep one and share it.
     *
     * <p>{@code lock} waits for ever, over failures of the connection too. {@code unlock} throws {@link LeaseLostException} if the
     * lease was lost since, so that the work may have had company; the thread has unlocked then all the same. To lock again under a
     * lease that is lost throws it too. {@code unlock} by a thread that has no lock throws {@link IllegalMonitorStateException},
     * {@code newCondition} {@link UnsupportedOperationException}, and all that ask the database {@link DibsException}.
     */
    public Lock asLock() {
        return new ThreadLock(acquisition);
    }

    @Override
    public String toString() {
        return "NamedLock[" + name() + "]";
    }
}
