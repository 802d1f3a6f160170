package dev.dibs;

import dev.dibs.internal.values.CheckReturnValue;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Several locks at once: all or none. They are the same locks as those of {@link Dibs#lock}. Their order does not matter. A caller
 * never holds some of them while it waits for the others, so there is no deadlock.
 *
 * <p>Made by {@link Dibs#lockAll}. Immutable, cheap, safe for use by any thread. After {@link Dibs#close()} every method that
 * acquires throws {@code IllegalStateException}.
 */
public interface NamedLocks {

    /** The locks' names, sorted, each once. */
    List<String> names();

    /**
     * The same locks with another lease length.
     *
     * @param lease as for {@link NamedLock#leaseLength}
     * @throws IllegalArgumentException if it is outside its bounds
     */
    @CheckReturnValue
    NamedLocks leaseLength(Duration lease);

    /**
     * Acquires all if all are free. Never waits for a holder.
     *
     * @return the leases, which the caller closes; empty if one is busy
     * @throws NotAcquiredException if the thread is interrupted between retries, or while it waits for a connection; its interrupt
     *     flag is set
     * @throws DatabaseFailureException if the request to the database fails or its outcome is unknown
     */
    default Optional<Leases> tryAcquire() {
        return tryAcquire(Duration.ZERO);
    }

    /**
     * Acquires all. While one is busy, waits for a limited time. A waiter holds nothing, not even a connection. So callers that
     * want only one of them may overtake it again and again.
     *
     * @param wait how long to wait at most; zero for no wait
     * @return the leases, which the caller closes; empty if one is still busy
     * @throws NotAcquiredException if the thread is interrupted; its interrupt flag is set
     * @throws IllegalArgumentException if {@code wait} is negative
     * @throws DatabaseFailureException if the request to the database fails or its outcome is unknown
     */
    Optional<Leases> tryAcquire(Duration wait);

    /**
     * Acquires all, and waits as {@link #tryAcquire(Duration)} does.
     *
     * @param wait how long to wait at most; zero for no wait
     * @return the leases, which the caller closes
     * @throws NotAcquiredException if one is still busy, with its holder in the message; or if the thread is interrupted
     * @throws IllegalArgumentException if {@code wait} is negative
     * @throws DatabaseFailureException if the request to the database fails or its outcome is unknown
     */
    Leases acquire(Duration wait);
}
