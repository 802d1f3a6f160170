package dev.dibs;

import java.time.Duration;
import java.util.Optional;

/**
 * Something that can be acquired: a lock, a side of a read-write lock, or a permit of a semaphore.
 *
 * <p>Immutable, cheap, safe for use by any thread. After {@link Dibs#close()} every method that acquires throws {@code
 * IllegalStateException}. An application may implement this interface to test its own code without a database.
 */
public interface Acquirable {

    /** Its name in the database. */
    String name();

    /**
     * The same, with another lease length. A holder that vanishes keeps its lease for this time after its last renewal. Dibs renews
     * a lease every third of its length.
     *
     * @param lease from 100 milliseconds to one day; shorter than 5 seconds only where pauses of the JVM and the network are known
     *     to be short
     * @throws IllegalArgumentException if it is outside these bounds
     */
    Acquirable leaseLength(Duration lease);

    /**
     * Acquires it if it is free. Never waits for a holder. The call still takes as long as the pool needs for a connection and the
     * database for an answer. That is 10 seconds at most for each statement, where the driver supports network timeouts. If the
     * database rolls back, the call retries for up to a second.
     *
     * @return the lease, which the caller closes; empty if it is busy
     * @throws NotAcquiredException if the thread is interrupted between these retries, or while it waits for a connection; its
     *     interrupt flag is set
     * @throws DatabaseFailureException if the request to the database fails or its outcome is unknown
     */
    default Optional<Lease> tryAcquire() {
        return tryAcquire(Duration.ZERO);
    }

    /**
     * Acquires it. While it is busy, waits for a limited time and holds no connection.
     *
     * @param wait how long to wait at most; zero for no wait
     * @return the lease, which the caller closes; empty if it is still busy
     * @throws NotAcquiredException if the thread is interrupted; its interrupt flag is set
     * @throws IllegalArgumentException if {@code wait} is negative
     * @throws DatabaseFailureException if the request to the database fails or its outcome is unknown
     */
    Optional<Lease> tryAcquire(Duration wait);

    /**
     * Acquires it. While it is busy, waits for a limited time and holds no connection.
     *
     * @param wait how long to wait at most; zero for no wait
     * @return the lease, which the caller closes
     * @throws NotAcquiredException if it is still busy, with the holder in the message; or if the thread is interrupted
     * @throws IllegalArgumentException if {@code wait} is negative
     * @throws DatabaseFailureException if the request to the database fails or its outcome is unknown
     */
    Lease acquire(Duration wait);

    /**
     * Does the work while it holds the lease. Does nothing if it is busy.
     *
     * @return whether the work was done
     * @throws X whatever the work throws
     * @throws NotAcquiredException if the thread is interrupted between retries, or while it waits for a connection; its interrupt
     *     flag is set
     * @throws LeaseLostException if the lease was lost before the work ended, so that another holder may have worked at the same
     *     time
     * @throws DatabaseFailureException if the request to the database fails or its outcome is unknown
     */
    <X extends Exception> boolean tryRun(LeaseWork<X> work) throws X;

    /**
     * Does the work while it holds the lease. While it is busy, waits for a limited time first.
     *
     * @param wait how long to wait at most; zero for no wait
     * @throws X whatever the work throws
     * @throws NotAcquiredException if it is still busy; the work was not done
     * @throws IllegalArgumentException if {@code wait} is negative
     * @throws LeaseLostException if the lease was lost before the work ended, so that another holder may have worked at the same
     *     time
     * @throws DatabaseFailureException if the request to the database fails or its outcome is unknown
     */
    <X extends Exception> void run(Duration wait, LeaseWork<X> work) throws X;
}
