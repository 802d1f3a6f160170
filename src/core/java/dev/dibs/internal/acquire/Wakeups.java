package dev.dibs.internal.acquire;

import dev.dibs.internal.lease.LeaseName;

/**
 * Notifies waiters of a release in another process, and idle workers of a wake there, where the database can: then they need not look so
 * often.
 *
 * <p>Nothing depends on a notification: a waiter that gets none looks at intervals.
 */
public interface Wakeups {

    /** For databases without notifications. */
    Wakeups NONE = new Wakeups() {};

    /**
     * What notifications are about: the releases of a name, or the wakes of a run.
     *
     * @param kind its table has this name, behind the prefix
     */
    record Topic(String kind, String name) {

        public static final String RUN = "run";

        static Topic of(LeaseName name) {
            return new Topic(name.kind().sqlName(), name.name());
        }
    }

    /** What sleeps until it is woken. */
    interface Sleeper {

        /**
         * Wakes it. Returns whether notifications are worth their cost: if not, none come for a second.
         *
         * @param isNew whether notifications come from now on; those before are lost
         */
        boolean wake(boolean isNew);
    }

    /** There is a waiter. Call {@link #forget} afterwards. Those of one topic share the sleeper of the first. */
    default void want(Topic topic, Sleeper sleeper) {}

    /**
     * Whether a release from now on wakes the sleeper of the topic, as far as is known. It is also woken when that begins and when it ends, so
     * that it looks once more.
     */
    default boolean isSure(Topic topic) {
        return false;
    }

    /** How long a waiter sleeps at most, even if notifications work: some releases may not notify, such as those of an older version. */
    default long pauseNanos() {
        return 0;
    }

    /** That waiter does not wait any more. */
    default void forget(Topic topic) {}

    /** Ends it for good; waiters are woken and look at intervals. */
    default void close() {}
}
