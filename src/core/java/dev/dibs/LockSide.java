package dev.dibs;

import java.time.Duration;
import java.util.Optional;

/**
 * One side of a {@link ReadWriteLock}: the readers' or the writers'.
 *
 * <p>Immutable, cheap, safe for use by any thread. After {@link Dibs#close()} every method that acquires throws {@code
 * IllegalStateException}.
 */
public final class LockSide {

    private final Acquisition acquisition;

    LockSide(Acquisition acquisition) {
        this.acquisition = acquisition;
    }

    /** The lock's name. */
    public String name() {
        return acquisition.name();
    }

    /**
     * The same side with another lease length: how long after its last renewal a holder that vanished stays in.
     *
     * @param lease as for {@link NamedLock#leaseFor}
     * @throws IllegalArgumentException if it is out of bounds
     */
    public LockSide leaseFor(Duration lease) {
        return new LockSide(acquisition.leaseFor(lease));
    }

    /**
     * Acquires it if nobody is in the way; never waits for anybody.
     *
     * @return the lease, to be closed; empty if somebody is in the way
     * @throws NotAcquiredException if the thread is interrupted between retries; its interrupt flag is set
     * @throws DibsException if the database can not be asked or gives no clear answer
     */
    public Optional<Lease> tryAcquire() {
        return tryAcquire(Duration.ZERO);
    }

    /**
     * Acquires it, waiting for others for a while. No connection is held meanwhile.
     *
     * @param wait how long at most; zero for not at all
     * @return the lease, to be closed; empty if somebody is still in the way
     * @throws NotAcquiredException if the thread is interrupted; its interrupt flag is set
     * @throws IllegalArgumentException if {@code wait} is negative
     * @throws DibsException if the database can not be asked or gives no clear answer
     */
    public Optional<Lease> tryAcquire(Duration wait) {
        return Optional.ofNullable(acquisition.attempt(wait).lease());
    }

    /**
     * Acquires it, waiting for others for a while. No connection is held meanwhile.
     *
     * @param wait how long at most; zero for not at all
     * @return the lease, to be closed
     * @throws NotAcquiredException if somebody is still in the way, saying who; or if the thread is interrupted
     * @throws IllegalArgumentException if {@code wait} is negative
     * @throws DibsException if the database can not be asked or gives no clear answer
     */
    public Lease acquire(Duration wait) {
        return acquisition.acquire(wait);
    }

    /**
     * Does the work under it, or nothing if somebody is in the way.
     *
     * @return whether the work was done
     * @throws X whatever the work throws
     * @throws LeaseLostException if the lease was lost before the work ended, so that it may have had company
     * @throws DibsException if the database can not be asked or gives no clear answer
     */
    public <X extends Exception> boolean tryRun(LeaseWork<X> work) throws X {
        return acquisition.tryRun(work);
    }

    /**
     * Does the work under it, waiting for others for a while.
     *
     * @param wait how long at most; zero for not at all
     * @throws X whatever the work throws
     * @throws NotAcquiredException if somebody is still in the way; the work was not done
     * @throws LeaseLostException if the lease was lost before the work ended, so that it may have had company
     * @throws DibsException if the database can not be asked or gives no clear answer
     */
    public <X extends Exception> void run(Duration wait, LeaseWork<X> work) throws X {
        acquisition.run(wait, work);
    }

    @Override
    public String toString() {
        return "LockSide[" + name() + "]";
    }
}
