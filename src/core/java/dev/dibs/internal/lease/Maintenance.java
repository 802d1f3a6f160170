package dev.dibs.internal.lease;

import dev.dibs.internal.time.BackgroundLoop;
import dev.dibs.internal.time.Deadline;

/**
 * What has to be done in the background besides renewals, on a thread of its own: a task that hangs must not delay a renewal.
 * The thread starts with the first maintenance task.
 */
public final class Maintenance {

    private final PendingReleases pending;
    private final Purge purge;
    private final BackgroundLoop loop;

    public Maintenance(PendingReleases pending, Purge purge) {
        this.pending = pending;
        this.purge = purge;
        this.loop = new BackgroundLoop("dibs-maintenance", () -> Math.min(pending.round(), purge.round()));
    }

    /** Has a lease released that somebody has had, for one lease length at most. */
    void release(HeldLease lease) {
        pending.add(lease.kind(), lease.name(), lease.owner(), lease.length(), lease.hold(), false);
        loop.within(0);
    }

    /**
     * Has the row of an owner released who never had the lease, for one lease length at most.
     *
     * @param ghost whether the acquire may still be on its way to the database: then "not ours" means "not yet"
     */
    void release(LeaseKind kind, String name, String owner, long length, boolean ghost) {
        pending.add(kind.plain(), name, owner, length, 0, ghost);
        loop.within(0);
    }

    /** The table grows. Costs nothing when that is known. */
    void purge(LeaseKind kind) {
        if (kind.isPurged && purge.want(kind)) {
            loop.within(0);
        }
    }

    /** Ends the thread and releases what is left, once. */
    void close(Deadline deadline) {
        if (loop.stop(deadline.millis())) {
            pending.releaseAll();
        }
    }
}
