package dev.dibs;

import java.time.Duration;

/**
 * A lease that Dibs does not renew. It ends by time, also while its process lives, unless the holder extends it. When its time is
 * over before it was closed, it is lost, like any lease.
 *
 * <p>Made by {@link NamedLock#atMost}. Safe for use by any thread.
 */
public interface TimedLease extends Lease {

    /**
     * Asks the database to let the lease last that long from now on. It never becomes shorter. Never waits for a row lock.
     *
     * @param length from 50 milliseconds to one day
     * @return true if it was extended; false if it is lost. It does not come back then
     * @throws IllegalStateException if it was closed
     * @throws IllegalArgumentException if the length is outside these bounds
     * @throws DatabaseFailureException if the database did not answer, or the row is locked, as by an open guarded transaction. The
     *     lease is valid as long as before
     */
    boolean extend(Duration length);

    /**
     * The same, and the lock then stays busy for a minimum time, counted from now, even if it is released earlier. That replaces the
     * time of {@link NamedLock#holdAtLeast}.
     *
     * @param length from 50 milliseconds to one day
     * @param hold from zero to one day
     * @return as {@link #extend(Duration)}
     * @throws IllegalStateException as {@link #extend(Duration)}
     * @throws IllegalArgumentException if one of them is outside these bounds
     * @throws DatabaseFailureException as {@link #extend(Duration)}
     */
    boolean extend(Duration length, Duration hold);
}
