package dev.dibs;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.locks.Lock;

/**
 * A lock that belongs to a thread, for code that expects a {@link Lock}. Made by {@link NamedLock#asLock}, which has its rules.
 *
 * <p>Safe for use by any thread. It knows only the threads that locked this object.
 */
public interface ThreadLock extends Lock {

    /**
     * Locks with a lease that is {@linkplain NamedLock#atMost not renewed}. If the thread has the lock already with such a lease, it
     * extends that. Waits as {@link #lock()} does.
     *
     * @param atMost from 50 milliseconds to one day
     * @throws IllegalArgumentException if it is outside these bounds
     * @throws LeaseLostException if the thread has the lock, and its lease is lost
     * @throws DatabaseFailureException if the request to the database fails
     */
    void lock(Duration atMost);

    /**
     * The same, after a wait at most.
     *
     * @param wait how long to wait at most; zero for no wait
     * @param atMost from 50 milliseconds to one day
     * @return false if it is still busy
     * @throws InterruptedException if the thread is interrupted
     * @throws IllegalArgumentException if {@code atMost} is outside these bounds, or the wait is negative
     * @throws LeaseLostException if the thread has the lock, and its lease is lost
     * @throws DatabaseFailureException if the request to the database fails
     */
    boolean tryLock(Duration wait, Duration atMost) throws InterruptedException;

    /**
     * Lets the lease of this thread last that long from now on, as {@link TimedLease#extend}. A lease that Dibs renews stays
     * as it is.
     *
     * @param length from 50 milliseconds to one day
     * @return false if the lease is lost; the thread still has to unlock
     * @throws IllegalMonitorStateException if this thread does not have the lock
     * @throws DatabaseFailureException as {@link TimedLease#extend}
     */
    boolean extend(Duration length);

    /** How often this thread has to unlock it; 0 if it does not have the lock. It counts also under a lost lease. */
    int getHoldCount();

    /** Whether this thread has to unlock it. */
    default boolean isHeldByCurrentThread() {
        return getHoldCount() > 0;
    }

    /** The lease of this thread, for its fence or a guard; empty if it does not have the lock. Do not close it: unlock. */
    Optional<Lease> lease();
}
