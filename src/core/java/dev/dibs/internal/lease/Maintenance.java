package dev.dibs.internal.lease;

import dev.dibs.internal.time.BackgroundLoop;
import dev.dibs.internal.time.Deadline;

/**
 * The background work besides renewals, on a thread of its own: a task that hangs must not delay a renewal. The thread starts with the
 * first task.
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

    /** Releases a lease that was held, trying for at most one lease length. */
    void release(HeldLease lease) {
        pending.add(lease.kind(), lease.name(), lease.owner(), lease.length(), lease.hold(), false);
        loop.within(0);
    }

    /**
     * Releases the row of an owner that never had the lease, trying for at most one lease length.
     *
     * @param ghost whether the acquire may still be on its way to the database: then "not ours" means "not yet"
     */
    void release(LeaseKind kind, String name, String owner, long length, boolean ghost) {
        pending.add(kind.plain(), name, owner, length, 0, ghost);
        loop.within(0);
    }

    /** The table has grown. It costs nothing when that is already known. */
    void purge(LeaseKind kind) {
        if (kind.isPurged && purge.want(kind)) {
            loop.within(0);
        }
    }

    /** Ends the thread and tries the remaining releases once. */
    void close(Deadline deadline) {
        if (loop.stop(deadline.millis())) {
            pending.releaseAll();
        }
    }
}
