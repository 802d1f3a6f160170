package dev.dibs;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Several locks at once: all or none. They are the same locks as those of {@link Dibs#lock}. The order in which callers name them does
 * not matter: nobody holds some of them while waiting for the others, so there is no deadlock.
 *
 * <p>Made by {@link Dibs#lockAll}. Immutable, cheap, safe for use by any thread. After {@link Dibs#close()} every method that acquires
 * throws {@code IllegalStateException}.
 */
public interface NamedLocks {

    /** The locks' names, sorted, each once. */
    List<String> names();

    /**
     * The same locks with another lease length.
     *
     * @param lease as for {@link NamedLock#lease}
     * @throws IllegalArgumentException if it is out of bounds
     */
    NamedLocks lease(Duration lease);

    /**
     * Acquires all if nobody has any; never waits for a holder.
     *
     * @return the leases, to be closed; empty if somebody has one
     * @throws NotAcquiredException if the thread is interrupted between retries; its interrupt flag is set
     * @throws DibsException if the database cannot be asked or gives no clear answer
     */
    Optional<Leases> tryAcquire();

    /**
     * Acquires all, waiting for their holders for a while. A waiter holds nothing, not even a connection. So a caller that wants one of
     * them alone may overtake it again and again.
     *
     * @param wait how long at most; zero for not at all
     * @return the leases, to be closed; empty if somebody still has one
     * @throws NotAcquiredException if the thread is interrupted; its interrupt flag is set
     * @throws IllegalArgumentException if {@code wait} is negative
     * @throws DibsException if the database cannot be asked or gives no clear answer
     */
    Optional<Leases> tryAcquire(Duration wait);

    /**
     * Acquires all, waiting for their holders for a while, as {@link #tryAcquire(Duration)} does.
     *
     * @param wait how long at most; zero for not at all
     * @return the leases, to be closed
     * @throws NotAcquiredException if somebody still has one, saying who; or if the thread is interrupted
     * @throws IllegalArgumentException if {@code wait} is negative
     * @throws DibsException if the database cannot be asked or gives no clear answer
     */
    Leases acquire(Duration wait);
}
