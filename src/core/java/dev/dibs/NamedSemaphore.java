package dev.dibs;

import java.time.Duration;
import java.util.Optional;

/**
 * A semaphore by name: at most so many holders at a time, over all processes that use the same table.
 *
 * <p>Each permit is a {@link Lease} of its own with a {@link Lease#slot slot number} and a {@link Lease#fence fence}, which grows from
 * one holder of the slot to the next. All that a lease of a lock can do, it can do too.
 *
 * <p>The number of permits is the caller's. Where callers differ, as while a new version is rolled out, those with the smaller number
 * get none before the slots above it are given back; so there are never more than the largest number in use, and never more than
 * the smaller one once those above are back.
 *
 * <p>Made by {@link Dibs#semaphore}. Immutable, cheap, safe for use by any thread. Not reentrant: who has a permit and asks again gets
 * another one. After {@link Dibs#close()} every method that acquires throws {@code IllegalStateException}.
 */
public final class NamedSemaphore {

    static final int MOST_PERMITS = 10_000;

    private final Acquisition acquisition;
    private final int permits;

    NamedSemaphore(Acquisition acquisition, int permits) {
        this.acquisition = acquisition;
        this.permits = permits;
    }

    static int checkPermits(int permits) {
        if (permits < 1 || permits > MOST_PERMITS) {
            throw new IllegalArgumentException(permits + " permits are out of bounds; it must be 1 to " + MOST_PERMITS);
        }
        return permits;
    }

    /** The semaphore's name. */
    public String name() {
        return acquisition.name();
    }

    /** How many permits there are. */
    public int permits() {
        return permits;
    }

    /**
     * The same semaphore with another lease length: how long after its last renewal a holder that vanished keeps its permit.
     *
     * @param lease as for {@link NamedLock#leaseFor}
     * @throws IllegalArgumentException if it is out of bounds
     */
    public NamedSemaphore leaseFor(Duration lease) {
        return new NamedSemaphore(acquisition.leaseFor(lease), permits);
    }

    /**
     * Acquires a permit if one is free; never waits for a holder.
     *
     * @return the permit, to be closed; empty if all are held
     * @throws NotAcquiredException if the thread is interrupted between retries; its interrupt flag is set
     * @throws DibsException if the database can not be asked or gives no clear answer
     */
    public Optional<Lease> tryAcquire() {
        return tryAcquire(Duration.ZERO);
    }

    /**
     * Acquires a permit, waiting for one for a while. No connection is held meanwhile.
     *
     * @param wait how long at most; zero for not at all
     * @return the permit, to be closed; empty if all are still held
     * @throws NotAcquiredException if the thread is interrupted; its interrupt flag is set
     * @throws IllegalArgumentException if {@code wait} is negative
     * @throws DibsException if the database can not be asked or gives no clear answer
     */
    public Optional<Lease> tryAcquire(Duration wait) {
        return Optional.ofNullable(acquisition.attempt(wait).lease());
    }

    /**
     * Acquires a permit, waiting for one for a while. No connection is held meanwhile.
     *
     * @param wait how long at most; zero for not at all
     * @return the permit, to be closed
     * @throws NotAcquiredException if all are still held, saying who has one; or if the thread is interrupted
     * @throws IllegalArgumentException if {@code wait} is negative
     * @throws DibsException if the database can not be asked or gives no clear answer
     */
    public Lease acquire(Duration wait) {
        return acquisition.acquire(wait);
    }

    /**
     * Does the work with a permit, or nothing if all are held.
     *
     * @return whether the work was done
     * @throws X whatever the work throws
     * @throws LeaseLostException if the permit was lost before the work ended, so that there may have been one too many
     * @throws DibsException if the database can not be asked or gives no clear answer
     */
    public <X extends Exception> boolean tryRun(LeaseWork<X> work) throws X {
        return acquisition.tryRun(work);
    }

    /**
     * Does the work with a permit, waiting for one for a while.
     *
     * @param wait how long at most; zero for not at all
     * @throws X whatever the work throws
     * @throws NotAcquiredException if all are still held; the work was not done
     * @throws LeaseLostException if the permit was lost before the work ended, so that there may have been one too many
     * @throws DibsException if the database can not be asked or gives no clear answer
     */
    public <X extends Exception> void run(Duration wait, LeaseWork<X> work) throws X {
        acquisition.run(wait, work);
    }

    @Override
    public String toString() {
        return "NamedSemaphore[" + name() + ", " + permits + "]";
    }
}
