package dev.dibs.spring.integration;

import dev.dibs.Lease;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.locks.Lock;

/**
 * A lock of a {@link DibsLockRegistry}. It belongs to a thread, which may lock it again and must unlock it as often.
 *
 * <p>If the lease was lost, so that another holder may have worked at the same time, {@code unlock} throws {@link
 * java.util.ConcurrentModificationException}; even then the thread has unlocked. To lock again under a lost lease is a {@link
 * dev.dibs.LeaseLostException}. A failure of the database is a {@link dev.dibs.DatabaseFailureException}. There are no conditions.
 *
 * <p>With Spring Integration 7.0 or later it is a {@code DistributedLock}, too. Safe for use by any thread.
 */
public interface DibsLock extends Lock {

    /**
     * Locks with a lease that ends after that time, unless it is renewed by {@link DibsLockRegistry#renewLock(Object, Duration)}.
     *
     * @param length at most one day; less than 50 milliseconds are rounded up
     */
    void lock(Duration length);

    /**
     * Locks, after a wait at most, with a lease that ends after that time, unless it is renewed.
     *
     * @param wait how long to wait at most; zero for no wait
     * @param length at most one day; less than 50 milliseconds are rounded up
     * @return false if it is still busy
     * @throws InterruptedException if the thread is interrupted
     */
    boolean tryLock(Duration wait, Duration length) throws InterruptedException;

    /** The lease of this thread, for its fence or a guard; empty if it does not have the lock. Do not close it: unlock. */
    Optional<Lease> lease();
}
