package dev.dibs.internal.time;

import java.util.Collection;
import java.util.function.LongSupplier;

/**
 * The two threads for leases and claims, which end by time: one renews, the other watches the deadlines.
 *
 * <p>The watch never uses the database. So even if the database hangs, it ends what is overdue. Each thread starts when it is first
 * needed. Safe for use by any thread.
 */
public final class Renewals {

    /** Something that ends by time unless it is renewed. */
    public interface Expiring {

        /** Ends it in this process if its time is over. Returns the nanoseconds that are left, or 0 or less if it is over. */
        long expire();
    }

    private final Collection<? extends Expiring> kept;
    private final BackgroundLoop renewal;
    private final BackgroundLoop watch;

    /**
     * Starts no thread yet.
     *
     * @param kept the watched objects; the collection may change at any time
     * @param round renews what is due, and returns after how many nanoseconds the next renewal is due, or {@link
     *     BackgroundLoop#NEVER}
     */
    public Renewals(String renewalThread, String watchThread, Collection<? extends Expiring> kept, LongSupplier round) {
        this.kept = kept;
        renewal = new BackgroundLoop(renewalThread, round);
        watch = new BackgroundLoop(watchThread, this::nextDeadline);
    }

    /** Asks for a renewal and for a check of the deadlines, each within this many nanoseconds. */
    public void within(long renewalNanos, long deadlineNanos) {
        renewal.within(renewalNanos);
        watch.within(deadlineNanos);
    }

    /** Asks for a round of renewals within this many nanoseconds. */
    public void renewWithin(long nanos) {
        renewal.within(nanos);
    }

    /** Deadlines may move during the check, but only to a later time. So the only cost is an extra check. */
    private long nextDeadline() {
        long next = BackgroundLoop.NEVER;
        for (Expiring one : kept) {
            long left = one.expire();
            next = left <= 0 ? next : Math.min(next, left);
        }
        return next;
    }

    /** Ends both threads, after their current rounds or at these deadlines. */
    public void stop(Deadline forWatch, Deadline forRenewal) {
        watch.stop(forWatch.millis());
        renewal.stop(forRenewal.millis());
    }
}
