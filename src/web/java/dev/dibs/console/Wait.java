package dev.dibs.console;

import java.time.Duration;

/**
 * How long one visitor waits for all queries of a page, by real time. If the database does not answer, the page must still show the
 * cached data.
 *
 * @param start when the visitor came
 * @param known how long to wait if there is an older answer to show, or an error
 * @param nothing how long to wait if there is nothing to show
 */
record Wait(long start, Duration known, Duration nothing) {

    /** The wait of a visitor that comes now. */
    static Wait begin(Duration known, Duration nothing) {
        return new Wait(System.nanoTime(), known, nothing);
    }

    /** Whether a visitor that came then has waited long enough. */
    boolean isLate(long then) {
        return System.nanoTime() - then >= known.toNanos();
    }

    /** The nanoseconds that are left. */
    long left(boolean something) {
        return start - System.nanoTime() + (something ? known : nothing).toNanos();
    }
}
