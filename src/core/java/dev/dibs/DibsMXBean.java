package dev.dibs;

/** What one {@link Dibs} has done since it was made, over JMX as {@code dev.dibs:type=Dibs,id=..}. */
public interface DibsMXBean {

    /** The label under which this instance holds its locks. */
    String getHolder();

    /** The dialect in use. */
    String getDialect();

    /** How many leases this instance holds now. */
    int getHeld();

    /** How many leases were acquired. */
    long getAcquired();

    /** How often a lock was busy to the end of the caller's patience. */
    long getBusy();

    /** How many of the acquired leases were taken over from a holder that had let them pass. */
    long getTakeovers();

    /** How many leases were lost. */
    long getLost();

    /** How many renewals failed; each is tried again. */
    long getRenewalFailures();

    /** How many leases were released by their holder. */
    long getReleased();
}
