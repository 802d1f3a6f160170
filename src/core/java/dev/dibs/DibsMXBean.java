package dev.dibs;

/** The counters of one {@link Dibs} since it was created, over JMX as {@code dev.dibs:type=Dibs,id=..}. */
public interface DibsMXBean {

    /** The label under which this instance holds its locks. */
    String getHolder();

    /** The dialect in use. */
    String getDialect();

    /** How many leases this instance holds now. */
    int getHeld();

    /** How many leases were acquired. */
    long getAcquired();

    /** How often a lock was still busy when the caller's wait ended. */
    long getBusy();

    /** How many of the acquired leases were taken over from a holder that had let them expire. */
    long getTakeovers();

    /** How many leases were lost. */
    long getLost();

    /** How many renewals failed; each is tried again. */
    long getRenewalFailures();

    /** How many renewals came late: less than a third of the lease was left. An early warning of losses. */
    long getLateRenewals();

    /** How many leases their holders released. */
    long getReleased();

    /** How many transactions got a lock without a lease. */
    long getLockedTransactions();
}
