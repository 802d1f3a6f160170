package dev.dibs;

import java.time.Duration;

/** How long a caller is ready to wait, and how long we go on by ourselves when the database asks us to try again. */
final class Patience {

    private static final long LONGEST_GRACE = Duration.ofSeconds(1).toNanos();

    private final LocalClock clock;
    private final long start;
    private final long wait;
    private final long grace;

    /**
     * Starts now.
     *
     * @param wait the caller's, zero for none
     * @param lease the length of the lease that is asked for; a third of it, or a second, is spent on statements that the
     *     database rolled back even when the caller would not wait for a busy lock
     */
    Patience(LocalClock clock, Duration wait, Duration lease) {
        this.clock = clock;
        this.start = clock.nanos();
        this.wait = saturated(wait);
        this.grace = Math.min(LONGEST_GRACE, lease.toNanos() / 3);
    }

    private static long saturated(Duration wait) {
        return wait.compareTo(Duration.ofNanos(Long.MAX_VALUE)) >= 0 ? Long.MAX_VALUE : wait.toNanos();
    }

    /** How long the caller would still wait for a busy lock; zero or less if no longer. */
    long remainingNanos() {
        return wait - elapsed();
    }

    boolean isOver() {
        return remainingNanos() <= 0;
    }

    /** Whether a statement that can be repeated should not be repeated any more. */
    boolean isGraceOver() {
        return elapsed() >= Math.max(wait, grace);
    }

    private long elapsed() {
        return clock.nanos() - start;
    }
}
