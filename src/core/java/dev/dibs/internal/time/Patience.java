package dev.dibs.internal.time;

import dev.dibs.internal.sql.errors.SqlFailure;
import java.time.Duration;

/**
 * How long a caller waits, and how long Dibs itself repeats a statement when the database asks to try again.
 *
 * <p>For one thread.
 */
public final class Patience {

    private static final long LONGEST_GRACE = Duration.ofSeconds(1).toNanos();
    /** At least this many tries, because on a loaded machine one statement may take longer than the whole grace. */
    private static final int FEWEST_TRIES = 3;

    private final LocalClock clock;
    private final long start;
    private final long wait;
    private final long grace;
    private int collisions;

    /**
     * Starts now.
     *
     * @param wait the caller's limit, zero for no wait
     * @param lease the length of the requested lease. Even without a wait, statements that the database rolled back are repeated
     *     for a third of it, a second at most
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

    /** How long the caller still waits for a busy lock; zero or less if its wait is over. */
    public long remainingNanos() {
        return wait - elapsedNanos();
    }

    public boolean isOver() {
        return remainingNanos() <= 0;
    }

    /** Whether the time for repeating statements is over. */
    public boolean isGraceOver() {
        return elapsedNanos() >= Math.max(wait, grace);
    }

    /**
     * Whether to send a statement again after this failure. If the database rolled it back, or the row of another process was in
     * the way, that is over in a moment. So even without a wait it is repeated. The same holds for trouble of another caller of a batch.
     */
    public boolean allows(SqlFailure failure) {
        return switch (failure.outcome()) {
            case REFUSED -> false;
            case ROLLED_BACK, DUPLICATE -> allowsCollision();
            case NOT_SENT, UNKNOWN -> failure.isOfAnother() ? allowsCollision() : !isOver();
        };
    }

    /** Whether to ask again after another process interfered or an answer came too late. Counts the calls. */
    public boolean allowsCollision() {
        collisions++;
        return collisions < FEWEST_TRIES || !isGraceOver();
    }

    /** How long the caller waits already. */
    public long elapsedNanos() {
        return clock.nanos() - start;
    }
}
