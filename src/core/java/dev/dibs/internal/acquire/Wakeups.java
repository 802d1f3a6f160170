package dev.dibs.internal.acquire;

import dev.dibs.internal.lease.LeaseName;

/**
 * Notifies waiters of a release in another process, where the database can: then they need not look so often.
 *
 * <p>Nothing depends on a notification: a waiter that gets none looks at intervals.
 */
public interface Wakeups {

    /** For databases without notifications. */
    Wakeups NONE = new Wakeups() {};

    /** The first caller of the name's waiting room waits. Call {@link #forget} afterwards. */
    default void want(LeaseName name) {}

    /**
     * Whether a release from now on wakes the name's waiting room, as far as is known. The room is also woken when that begins and when it
     * ends, so that its waiter looks once more.
     */
    default boolean isSure(LeaseName name) {
        return false;
    }

    /** How long a waiter sleeps at most, even if notifications work: some releases may not notify, such as those of an older version. */
    default long pauseNanos() {
        return 0;
    }

    /** That caller does not wait any more. */
    default void forget(LeaseName name) {}

    /** Ends it for good; waiters are woken and look at intervals. */
    default void close() {}
}
