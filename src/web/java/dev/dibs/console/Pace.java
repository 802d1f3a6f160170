package dev.dibs.console;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * How many statements the console sends, however many look at it: four a second in the long run. What was sent is a debt that is paid off
 * at that rate. An answer that is older than the debt may be asked for again: so the oldest one goes first, and none waits for ever.
 */
final class Pace {

    /** What a statement adds to the debt; five a second is what the console promises to stay below. */
    private static final Duration SHARE = Duration.ofMillis(250);

    /** What a visitor waits for adds no more to the debt than up to this. */
    private static final Duration LONGEST = Duration.ofSeconds(5);

    private final LongSupplier nanos;

    /** When the debt will be paid off. */
    private final AtomicLong free;

    Pace(LongSupplier nanos) {
        this.nanos = nanos;
        this.free = new AtomicLong(nanos.getAsLong());
    }

    /** Whether so many statements may be sent now, for what was last read so long ago. */
    boolean take(int statements, Duration age) {
        long now = nanos.getAsLong();
        long until = free.get();
        long debt = Math.max(0, until - now);
        return debt <= age.toNanos() && free.compareAndSet(until, now + debt + cost(statements));
    }

    /** They are sent in any case, since somebody waits for them. */
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
