package dev.dibs.once;

import dev.dibs.DatabaseFailureException;
import dev.dibs.DibsException;
import dev.dibs.Lease;
import dev.dibs.LeaseLostException;
import dev.dibs.LeaseWork;
import dev.dibs.NotAcquiredException;
import java.time.Duration;
import java.util.Optional;

/**
 * Work that is done once a period, by the first process that asks, over all processes that use the same table.
 *
 * <p>A call costs one round trip, and none while the work is known not to be due. An instance remembers that for five minutes at
 * most. So every page view may ask.
 *
 * <p>Made by {@code Dibs.once(..)}. Immutable, cheap, safe for use by any thread. After {@code Dibs.close()} every method that asks
 * throws {@code IllegalStateException}.
 */
public interface Once {

    /** Its name. */
    String name();

    /**
     * Does the work if it is due and no other process does it. It is due again a period after it has succeeded. If the work throws,
     * that is recorded, and it is due again after a pause ({@link OnceBuilder#backoff}). Until then others get FAILED. If the work
     * closes the lease itself, nothing is recorded.
     *
     * @return RAN, or why it did not run
     * @throws X whatever the work throws
     * @throws NotAcquiredException if the thread is interrupted between retries, or while it waits for a connection; its interrupt
     *     flag is set
     * @throws LeaseLostException if the lease was lost before the work ended, so that it may be done again
     * @throws DatabaseFailureException if a request to the database fails or its outcome is unknown; or if the success cannot be recorded in
     *     time
     */
    <X extends Exception> OnceOutcome tryRun(LeaseWork<Lease, X> work) throws X;

    /**
     * Like {@link #tryRun(LeaseWork)}, but waits while another process does the work, and during the pause after a failure. Then it
     * does the work if it is still due. It holds no connection while it waits. An exception of the work in this call ends the wait.
     *
     * @param wait how long to wait at most; zero for no wait
     * @return RAN or NOT_DUE if the work is done; BUSY or FAILED if it still is not
     * @throws X whatever the work throws
     * @throws NotAcquiredException if the thread is interrupted; its interrupt flag is set
     * @throws IllegalArgumentException if {@code wait} is negative
     * @throws LeaseLostException if the lease was lost before the work ended, so that it may be done again
     * @throws DatabaseFailureException if a request to the database fails or its outcome is unknown; or if the success cannot be recorded in
     *     time
     */
    <X extends Exception> OnceOutcome tryRun(Duration wait, LeaseWork<Lease, X> work) throws X;

    /**
     * Returns only if the work is done, by this call or by another one in this period. Use it for work that must be done before the
     * program goes on, such as a migration. Waits as {@link #tryRun(Duration, LeaseWork)} does.
     *
     * @param wait how long to wait at most; zero for no wait
     * @throws X whatever the work throws
     * @throws NotAcquiredException if another process still does it, with its label in the message; or if the thread is interrupted
     * @throws IllegalArgumentException if {@code wait} is negative
     * @throws LeaseLostException if the lease was lost before the work ended, so that it may be done again
     * @throws DibsException if it failed a short time ago, with the error and the time of the next try
     * @throws DatabaseFailureException as for {@link #tryRun(LeaseWork)}
     */
    <X extends Exception> void requireDone(Duration wait, LeaseWork<Lease, X> work) throws X;

    /**
     * The state of this work: its current runner, its last success, its last failure. Costs one round trip.
     *
     * @return empty if the work was never tried
     * @throws DatabaseFailureException if the request to the database fails
     */
    Optional<OnceInfo> info();
}
