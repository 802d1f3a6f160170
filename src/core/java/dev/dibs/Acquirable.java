package dev.dibs;

import java.time.Duration;
import java.util.Optional;

/**
 * What can be acquired: a lock, a side of a read-write lock, a permit of a semaphore.
 *
 * <p>Immutable, cheap, safe for use by any thread. After {@link Dibs#close()} every method that acquires throws {@code
 * IllegalStateException}. An application may implement it to test its own code without a database.
 */
public interface Acquirable {

    /** The name that it is known by in the database. */
    String name();

    /**
     * The same with another lease length: how long after its last renewal a holder that vanished keeps it. A lease is renewed every third of
     * its length.
     *
     * @param lease from 100 milliseconds to one day; shorter than 5 seconds only where pauses of the JVM and the network are
     *     known to be short
     * @throws IllegalArgumentException if it is out of these bounds
     */
    Acquirable lease(Duration lease);

    /**
     * Acquires it if nobody is in the way; never waits for a holder. It may take as long as the pool needs for a connection and the
     * database for an answer (10 seconds at most a statement, where the driver knows network timeouts), and a second of retries if the
     * database rolls back.
     *
     * @return the lease, to be closed; empty if somebody is in the way
     * @throws NotAcquiredException if the thread is interrupted between such retries; its interrupt flag is set
     * @throws DibsException if the database cannot be asked or gives no clear answer
     */
    default Optional<Lease> tryAcquire() {
        return tryAcquire(Duration.ZERO);
    }

    /**
     * Acquires it, waiting for others for a while. No connection is held meanwhile.
     *
     * @param wait how long at most; zero for not at all
     * @return the lease, to be closed; empty if somebody is still in the way
     * @throws NotAcquiredException if the thread is interrupted; its interrupt flag is set
     * @throws IllegalArgumentException if {@code wait} is negative
     * @throws DibsException if the database cannot be asked or gives no clear answer
     */
    Optional<Lease> tryAcquire(Duration wait);

    /**
     * Acquires it, waiting for others for a while. No connection is held meanwhile.
     *
     * @param wait how long at most; zero for not at all
     * @return the lease, to be closed
     * @throws NotAcquiredException if somebody is still in the way, saying who; or if the thread is interrupted
     * @throws IllegalArgumentException if {@code wait} is negative
     * @throws DibsException if the database cannot be asked or gives no clear answer
     */
    Lease acquire(Duration wait);

    /**
     * Does the work under it, or nothing if somebody is in the way.
     *
     * @return whether the work was done
     * @throws X whatever the work throws
     * @throws NotAcquiredException if the thread is interrupted between retries; its interrupt flag is set
     * @throws LeaseLostException if the lease was lost before the work ended, so that somebody else may have worked at the same time
     * @throws DibsException if the database cannot be asked or gives no clear answer
     */
    <X extends Exception> boolean tryRun(LeaseWork<X> work) throws X;

    /**
     * Does the work under it, waiting for others for a while.
     *
     * @param wait how long at most; zero for not at all
     * @throws X whatever the work throws
     * @throws NotAcquiredException if somebody is still in the way; the work was not done
     * @throws IllegalArgumentException if {@code wait} is negative
     * @throws LeaseLostException if the lease was lost before the work ended, so that somebody else may have worked at the same time
     * @throws DibsException if the database cannot be asked or gives no clear answer
     */
    <X extends Exception> void run(Duration wait, LeaseWork<X> work) throws X;
}
