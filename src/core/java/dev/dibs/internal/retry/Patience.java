package dev.dibs.internal.retry;

import dev.dibs.internal.sql.errors.SqlFailure;
import dev.dibs.internal.time.HeldInterrupt;
import dev.dibs.internal.time.LocalClock;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * What is left of a policy in one call: its time and its tries.
 *
 * <p>For one thread.
 */
public final class Patience {

    private final RetryPolicy policy;
    private final LocalClock clock;
    private final long start;
    private final long wait;
    private final long grace;
    private @Nullable Backoff backoff;
    private int tries;

    /** Starts now. */
    public Patience(LocalClock clock, RetryPolicy policy) {
        this(clock, policy, clock.nanos());
    }

    /**
     * For a call that has begun.
     *
     * @param start when, as monotonic time
     */
    public Patience(LocalClock clock, RetryPolicy policy, long start) {
        this.policy = policy;
        this.clock = clock;
        this.start = start;
        this.wait = TimeUnit.NANOSECONDS.convert(policy.patience());
        this.grace = Math.max(wait, TimeUnit.NANOSECONDS.convert(policy.grace()));
    }

    /** How long the caller still waits; zero or less if its wait is over. */
    public long remainingNanos() {
        return wait - elapsedNanos();
    }

    public boolean isOver() {
        return remainingNanos() <= 0;
    }

    /**
     * Counts a try that failed, and returns whether there is another. If the database rolled it back, or the row of another process was
     * in the way, that is over in a moment. So even without a wait it is repeated. The same holds for trouble of another caller of a batch.
     */
    public boolean allows(SqlFailure failure) {
        if (!policy.again().contains(failure.toRetry())) {
            return false;
        }
        return switch (failure.toRetry()) {
            case ROLLED_BACK, DUPLICATE -> allowsCollision();
            default -> failure.isOfAnother() ? allowsCollision() : ++tries < policy.tries() && !isOver();
        };
    }

    /** Counts a try that decided nothing: another process interfered, or the answer came too late. Returns whether there is another. */
    public boolean allowsCollision() {
        tries++;
        return tries < policy.tries() && (tries < RetryPolicy.FEWEST_TRIES || elapsedNanos() < grace);
    }

    /** The pause before the next try. */
    public void pause() throws InterruptedException {
        if (backoff == null) {
            backoff = new Backoff(RetryPolicy.CALL);
        }
        TimeUnit.NANOSECONDS.sleep(backoff.nextNanos());
    }

    /** Pauses after a try that decided nothing; returns false if it was the last one. An interrupt is kept for the caller. */
    public boolean pausesForAnother() {
        if (!allowsCollision()) {
            return false;
        }
        try (HeldInterrupt unused = new HeldInterrupt()) {
            pause();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return true;
    }

    /** How long the caller waits already. */
    public long elapsedNanos() {
        return clock.nanos() - start;
    }
}
