package dev.dibs.once;

import dev.dibs.Dibs;
import dev.dibs.DibsException;
import dev.dibs.LeaseLostException;
import dev.dibs.LeaseWork;
import dev.dibs.NotAcquiredException;
import java.time.Duration;
import java.util.Optional;

/**
 * Something that is done once a period, by whoever comes first, over all processes that use the same table.
 *
 * <p>To ask costs one round trip, and none while it is known not to be due: an instance remembers that, for five minutes at most. So
 * it may be asked by every page view.
 *
 * <p>Made by {@link Dibs#once}. Immutable, cheap, safe for use by any thread. After {@link Dibs#close()} every method that asks throws
 * {@code IllegalStateException}.
 */
public interface Once {

    /** Its name. */
    String name();

    /**
     * Does the work if it is due and nobody else is at it. The next one is due a period after the work has ended well. If it throws, that
     * is recorded, and it is due again after a pause ({@link OnceBuilder#backoff}); until then others get FAILED. If it closes the lease
     * itself, nothing is recorded.
     *
     * @return RAN, or why not
     * @throws X whatever the work throws
     * @throws NotAcquiredException if the thread is interrupted between retries; its interrupt flag is set
     * @throws LeaseLostException if the lease was lost before the work ended, so that it may be done again
     * @throws DibsException if the database cannot be asked or gives no clear answer, or cannot be told in time that the work is done
     */
    <X extends Exception> OnceOutcome tryRun(LeaseWork<X> work) throws X;

    /**
     * The same, but waits while somebody else is at it, and while it is not tried again after a failure, and then does the work if nobody
     * has done it. No connection is held meanwhile. What the work throws in this call ends the wait.
     *
     * @param wait how long at most; zero for not at all
     * @return RAN or FRESH if it is done; BUSY or FAILED if it still is not
     * @throws X whatever the work throws
     * @throws NotAcquiredException if the thread is interrupted; its interrupt flag is set
     * @throws IllegalArgumentException if {@code wait} is negative
     * @throws LeaseLostException if the lease was lost before the work ended, so that it may be done again
     * @throws DibsException if the database cannot be asked or gives no clear answer, or cannot be told in time that the work is done
     */
    <X extends Exception> OnceOutcome tryRun(Duration wait, LeaseWork<X> work) throws X;

    /**
     * Returns only if it is done: by this call, or by somebody else in this period. For what must have been done before the program goes
     * on, as a migration. Waits as {@link #tryRun(Duration, LeaseWork)}.
     *
     * @param wait how long at most; zero for not at all
     * @throws X whatever the work throws
     * @throws NotAcquiredException if somebody else is still at it, saying who; or if the thread is interrupted
     * @throws IllegalArgumentException if {@code wait} is negative
     * @throws LeaseLostException if the lease was lost before the work ended, so that it may be done again
     * @throws DibsException if it failed a short time ago, with the error and the time of the next try; or as {@link #tryRun(LeaseWork)}
     */
    <X extends Exception> void requireDone(Duration wait, LeaseWork<X> work) throws X;

    /**
     * What is known of it: who is at it, when it was last done, why it failed last. Costs one round trip.
     *
     * @return empty if nobody has ever tried it
     * @throws DibsException if the database cannot be asked
     */
    Optional<OnceInfo> info();
}
