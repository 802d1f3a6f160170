package dev.dibs.console;

import java.time.Duration;

/**
 * How long one visitor waits for everything that a page asks, by real time: a database that does not answer must not keep from them what is
 * known.
 *
 * @param start when the visitor came
 * @param known how long to wait where there is an older answer to show, or an error
 * @param nothing how long to wait where there is nothing at all to show
 */
record Wait(long start, Duration known, Duration nothing) {

    /** For a visitor that comes now. */
    static Wait begin(Duration known, Duration nothing) {
        return new Wait(System.nanoTime(), known, nothing);
    }

    /** Whether a visitor who came then would have waited long enough. */
    boolean isLate(long then) {
        return System.nanoTime() - then >= known.toNanos();
    }

    /** Nanoseconds that are left. */
    long left(boolean something) {
        return start - System.nanoTime() + (something ? known : nothing).toNanos();
    }
}
