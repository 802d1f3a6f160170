package dev.dibs.internal.time;

import dev.dibs.internal.sql.SqlFailure;
import java.time.Duration;

/**
 * How long a caller is ready to wait, and how long we go on by ourselves when the database asks us to try again.
 *
 * <p>For one thread.
 */
public final class Patience {

    private static final long LONGEST_GRACE = Duration.ofSeconds(1).toNanos();
    /** On a loaded machine one statement may take longer than the whole grace. */
    private static final int FEWEST_TRIES = 3;

    private final LocalClock clock;
    private final long start;
    private final long wait;
    private final long grace;
    private int collisions;

    /**
     * Starts now.
     *
     * @param wait the caller's, zero for none
     * @param lease the length of the lease that is asked for; a third of it, or a second, is spent on statements that the
     *     database rolled back even when the caller would not wait for a busy lock
     */
    public Patience(LocalClock clock, Duration wait, Duration lease) {
        this.clock = clock;
        this.start = clock.nanos();
        this.wait = saturated(wait);
        this.grace = Math.min(LONGEST_GRACE, lease.toNanos() / 3);
    }

    private static long saturated(Duration wait) {
        return wait.compareTo(Duration.ofNanos(Long.MAX_VALUE)) >= 0 ? Long.MAX_VALUE : wait.toNanos();
    }

    /** How long the caller would still wait for a busy lock; zero or less if no longer. */
    public long remainingNanos() {
        return wait - elapsed();
    }

    public boolean isOver() {
        return remainingNanos() <= 0;
    }

    /** Whether a statement that can be repeated should not be repeated any more. */
    public boolean isGraceOver() {
        return elapsed() >= Math.max(wait, grace);
    }

    /**
     * Whether to send a statement again that failed so. What the database undid, or somebody else's row prevented, is over in a moment and repeated
     * for one even by a caller who would not wait.
     */
    public boolean allows(SqlFailure failure) {
        return switch (failure.outcome()) {
            case REFUSED -> false;
            case ROLLED_BACK, DUPLICATE -> allowsCollision();
            case NOT_SENT, UNKNOWN -> !isOver();
        };
    }

    /** Whether to ask again after somebody else came in between, or an answer came too late; counts how often that was. */
    public boolean allowsCollision() {
        collisions++;
        return collisions < FEWEST_TRIES || !isGraceOver();
    }

    private long elapsed() {
        return clock.nanos() - start;
    }
}
