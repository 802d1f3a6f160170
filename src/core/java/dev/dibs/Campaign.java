package dev.dibs;

import java.util.Optional;

/**
 * One candidate for a {@link Leadership}, who leads or waits for the chance. Close it to step down.
 *
 * <p>Safe for use by any thread.
 */
public interface Campaign extends AutoCloseable {

    /** Whether this candidate certainly leads now. Asks the local clock and not the database. */
    boolean isLeader();

    /** The lease under which this candidate leads; empty if it does not. */
    Optional<Lease> lease();

    /**
     * Steps down and stands no more. From now on the lease is not valid. {@link Leadership#onStepDown} is called here; then this waits
     * until {@link Leadership#onElected} has returned, but not longer than the lease lasts. Only then the lock is released, so that
     * somebody else can be elected at once. Called by {@code onElected} itself it does not wait; the lock is released when that
     * returns. Does nothing the second time but wait.
     */
    @Override
    void close();
}
