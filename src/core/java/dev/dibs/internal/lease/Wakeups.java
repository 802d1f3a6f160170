package dev.dibs.internal.lease;

/**
 * How those who wait hear of a release in another process, where they can: then they need not look so often.
 *
 * <p>Nothing here is certain to anybody but the one who waits: whoever is not woken looks by time.
 */
public interface Wakeups {

    /** Nobody is woken from elsewhere. */
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

    /** Somebody waits who is in front of the name's waiting room. {@link #forget} it afterwards. */
    void want(LeaseName name);

    /**
     * Whether a release from now on wakes the name's waiting room, as far as is known. When that begins, and when it ends, the room is
     * woken too, so that whoever waits there looks once more.
     */
    boolean isSure(LeaseName name);

    /** How long at most who is sure sleeps until it looks all the same: not every release may be told, as that of an older version. */
    long pauseNanos();

    /** One who waited does not wait any more. */
    void forget(LeaseName name);

    /** Ends it for good; those who wait are woken and look by time. */
    void close();
}
