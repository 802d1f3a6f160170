package dev.dibs.internal.lease;

import dev.dibs.internal.time.BackgroundLoop;
import dev.dibs.internal.time.Deadline;
import java.util.concurrent.TimeUnit;

/**
 * The background work besides renewals, on a thread of its own: a task that hangs must not delay a renewal. The thread starts with the
 * first task.
 */
public final class Maintenance {

    /** Locks that are busy are missed, too, where a guard cannot tell: they are looked at together. */
    private static final long MISSED = TimeUnit.MILLISECONDS.toNanos(100);

    private final PendingReleases pending;
    private final Purge purge;
    private final BackgroundLoop loop;

    public Maintenance(PendingReleases pending, Purge purge) {
        this.pending = pending;
        this.purge = purge;
        this.loop = new BackgroundLoop("dibs-maintenance", () -> Math.min(pending.round(), purge.round()));
    }

    /** Releases a lease that was held, trying for at most one lease length. */
    void release(HeldLease lease) {
        pending.add(lease.kind(), lease.key(), lease.length(), lease.hold(), 0);
        loop.within(0);
    }

    /**
     * Releases the row of an owner that never had the lease. All times are in milliseconds.
     *
     * @param heldFor for how long the row may be held, and is tried to be released
     * @param onItsWay for how long the acquire may still reach the database; 0 if it has been answered
     */
    public void release(LeaseKind kind, LeaseKeys.Key key, long heldFor, long onItsWay) {
        pending.add(kind.baseKind(), key, heldFor, 0, onItsWay);
        loop.within(0);
    }

    /** The table has grown. It costs nothing when that is already known. */
    public void purge(LeaseKind kind) {
        if (kind.isPurged && purge.want(kind)) {
            loop.within(0);
        }
    }

    /** A guard has found no row of a lock that transactions use: it is added unless it is there. */
    public void missed(String lock) {
        purge.missed.add(lock);
        loop.within(MISSED);
    }

    /** Ends the thread and tries the remaining releases once. */
    void close(Deadline deadline) {
        if (loop.stop(deadline.millis())) {
            pending.releaseAll();
        }
    }
}
