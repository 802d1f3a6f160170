package dev.dibs.internal.acquire;

import dev.dibs.internal.lease.LeaseName;

/**
 * Notifies waiters of a release in another process, where the database can: then they need not look so often.
 *
 * <p>Nothing depends on a notification: a waiter that gets none looks at intervals.
 */
public interface Wakeups {

    /** For databases without notifications. */
    Wakeups NONE = new Wakeups() {
        @Override
        public void want(LeaseName name) {}

        @Override
        public boolean isSure(LeaseName name) {
            return false;
        }

        @Override
        public long pauseNanos() {
            return 0;
        }

        @Override
        public void forget(LeaseName name) {}

        @Override
        public void close() {}
    };

    /** The first caller of the name's waiting room waits. Call {@link #forget} afterwards. */
    void want(LeaseName name);

    /**
     * Whether a release from now on wakes the name's waiting room, as far as is known. The room is also woken when that begins and when it
     * ends, so that its waiter looks once more.
     */
    boolean isSure(LeaseName name);

    /** How long a waiter sleeps at most, even if notifications work: some releases may not notify, such as those of an older version. */
    long pauseNanos();

    /** That caller does not wait any more. */
    void forget(LeaseName name);

    /** Ends it for good; waiters are woken and look at intervals. */
    void close();
}
