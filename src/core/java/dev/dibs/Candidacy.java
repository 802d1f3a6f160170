package dev.dibs;

import java.util.Optional;

/**
 * The candidacy of this process for a {@link Leadership}: it leads or waits to be elected. Close it to step down.
 *
 * <p>Safe for use by any thread.
 */
public interface Candidacy extends AutoCloseable {

    /** Whether this candidate certainly leads now. Reads the local clock and does not ask the database. */
    boolean isLeader();

    /** The lease under which this candidate leads; empty if it does not. */
    Optional<Lease> lease();

    /**
     * Steps down and ends it. The lease is invalid from now on. This calls {@link Leadership#onStepDown} and waits until
     * {@link Leadership#onElected} has returned, but no longer than the lease lasts. Then it releases the lock, so that another
     * candidate can be elected at once. If {@code onElected} itself calls this method, it does not wait: the lock is released when
     * the callback returns. A second call only waits.
     */
    @Override
    void close();
}
