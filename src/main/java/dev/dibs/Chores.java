package dev.dibs;

import java.time.Duration;

/**
 * What has to be done in the background besides renewals, on a thread of its own: a chore that hangs must not delay a renewal.
 * The thread starts with the first chore.
 */
final class Chores {

    private final PendingReleases pending;
    private final Purge purge;
    private final Rounds rounds;

    Chores(PendingReleases pending, Purge purge) {
        this.pending = pending;
        this.purge = purge;
        this.rounds = new Rounds("dibs-chores", () -> Math.min(pending.round(), purge.round()));
    }

    /**
     * Has an owner's row released, for one lease length at most.
     *
     * @param ghost whether the acquire may still be on its way to the database: then "not ours" means "not yet"
     */
    void release(String name, String owner, long length, boolean ghost) {
        pending.add(name, owner, length, ghost);
        rounds.within(0);
    }

    /** A name was used for the first time, so the table grows. */
    void purge() {
        purge.want();
        rounds.within(0);
    }

    /** Ends the thread and releases what is left, once. */
    void close(Duration patience) {
        if (rounds.stop(patience.toMillis())) {
            pending.releaseAll();
        }
    }
}
