package dev.dibs;

import java.util.Optional;

/**
 * One candidate for a {@link Leadership}: it leads, or waits for its chance. Close it to step down.
 *
 * <p>Safe for use by any thread.
 */
public interface Campaign extends AutoCloseable {

    /** Whether this candidate certainly leads now. Asks the local clock and not the database. */
    boolean isLeader();

    /** The lease under which this candidate leads; empty if it does not. */
    Optional<Lease> lease();

    /**
     * Steps down and is no candidate any more. From now on the lease is not valid. This calls {@link Leadership#onStepDown}, waits until
     * {@link Leadership#onElected} has returned, but no longer than the lease lasts, and then releases the lock. So somebody else can be
     * elected at once. If {@code onElected} itself calls this, it does not wait, and the lock is released when the callback returns. A
     * second call only waits.
     */
    @Override
    void close();
}
