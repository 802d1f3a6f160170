package dev.dibs.demo;

/**
 * Hands the directories out evenly over the time, so that the demo takes as long on a fast machine as on a slow one and
 * there is work left when a worker is struck.
 *
 * @param start in milliseconds since 1970
 * @param millis how long it takes until all are handed out
 * @param directories how many there are
 */
record Pace(long start, long millis, int directories) {

    /** How many may be worked on by now. */
    int released() {
        return releasedAt(System.currentTimeMillis());
    }

    int releasedAt(long now) {
        double share = Math.min(1, Math.max(0, (double) (now - start) / millis));
        return (int) Math.floor(share * directories);
    }

    /** When a share of the time has passed. */
    long at(double share) {
        return start + Math.round(share * millis);
    }

    boolean allReleased() {
        return released() == directories;
    }
}
