package dev.dibs.internal.acquire;

import java.time.Duration;

/** A way to acquire a lease: {@link PlainAcquire}, or what a kind of lock does around it. */
public interface Acquiring {

    LeaseRequest request();

    /**
     * Acquires, or returns what is in the way after the wait.
     *
     * @param lease how long a holder that vanished keeps the lease after its last renewal
     */
    AcquireOutcome acquire(Duration lease, Duration wait);
}
