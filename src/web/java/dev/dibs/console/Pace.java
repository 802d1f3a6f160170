package dev.dibs.console;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * Limits the statements of the console, for any number of visitors, to four a second in the long run. Each statement adds to a debt
 * that is paid off at this rate. A query may be sent again if its answer is older than the debt. So the oldest one goes first, and
 * none waits for ever.
 */
final class Pace {

    /** The debt of one statement. The console promises to stay below five a second. */
    private static final Duration SHARE = Duration.ofMillis(250);

    /** Queries that a visitor waits for raise the debt to this at most. */
    private static final Duration LONGEST = Duration.ofSeconds(5);

    private final LongSupplier nanos;

    /** When the debt will be paid off. */
    private final AtomicLong free;

    Pace(LongSupplier nanos) {
        this.nanos = nanos;
        this.free = new AtomicLong(nanos.getAsLong());
    }

    /** Whether this many statements may be sent now, for an answer of this age. */
    boolean take(int statements, Duration age) {
        long now = nanos.getAsLong();
        long until = free.get();
        long debt = Math.max(0, until - now);
        return debt <= age.toNanos() && free.compareAndSet(until, now + debt + cost(statements));
    }

    /** Counts statements that are sent in any case, because a visitor waits for them. */
    void spend(int statements) {
        long now = nanos.getAsLong();
        free.updateAndGet(until -> {
            long debt = Math.max(0, until - now);
            return now + Math.max(debt, Math.min(debt + cost(statements), LONGEST.toNanos()));
        });
    }

    private static long cost(int statements) {
        return statements * SHARE.toNanos();
    }
}
