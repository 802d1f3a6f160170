package dev.dibs.internal.time;

import java.util.Collection;
import java.util.function.LongSupplier;

/**
 * The two threads that whatever ends by time needs: one renews, the other watches the deadlines.
 *
 * <p>The watch never talks to the database. A database that hangs cannot keep it from ending what has passed. Each thread starts when it
 * is first needed. Safe for use by any thread.
 */
public final class Renewals {

    /** Something that ends by time unless it is renewed. */
    public interface Kept {

        /** Ends it here if its time is over. Returns the nanoseconds that are left, or 0 or less if it is over. */
        long expire();
    }

    private final Collection<? extends Kept> kept;
    private final BackgroundLoop renewal;
    private final BackgroundLoop watch;

    /**
     * With threads that are not started yet.
     *
     * @param kept what is watched; may change at any time
     * @param round renews what is due, and returns after how many nanoseconds the next renewal is due, or {@link BackgroundLoop#NEVER}
     */
    public Renewals(String renewalThread, String watchThread, Collection<? extends Kept> kept, LongSupplier round) {
        this.kept = kept;
        renewal = new BackgroundLoop(renewalThread, round);
        watch = new BackgroundLoop(watchThread, this::nextDeadline);
    }

    /** Asks for a renewal within so many nanoseconds, and for a look at the deadlines within so many. */
    public void within(long renewalNanos, long deadlineNanos) {
        renewal.within(renewalNanos);
        watch.within(deadlineNanos);
    }

    /** Asks for a round of renewals within so many nanoseconds. */
    public void renewWithin(long nanos) {
        renewal.within(nanos);
    }

    /** Deadlines move while they are watched, always to later: a look too many is the only cost. */
    private long nextDeadline() {
        long next = BackgroundLoop.NEVER;
        for (Kept one : kept) {
            long left = one.expire();
            next = left <= 0 ? next : Math.min(next, left);
        }
        return next;
    }

    /** Ends both threads, after the rounds that they are in or when the deadlines are over. */
    public void stop(Deadline forWatch, Deadline forRenewal) {
        watch.stop(forWatch.millis());
        renewal.stop(forRenewal.millis());
    }
}
