package dev.dibs.console;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/** How many statements the console sends at most, however many look at it. */
final class Pace {

    /** For each statement; five a second is what the console promises to stay below. */
    private static final Duration SHARE = Duration.ofMillis(250);

    /** However much was sent because somebody waited for it. */
    private static final Duration LONGEST = Duration.ofSeconds(5);

    private final LongSupplier nanos;
    private final AtomicLong free;

    Pace(LongSupplier nanos) {
        this.nanos = nanos;
        this.free = new AtomicLong(nanos.getAsLong());
    }

    /** Whether so many may be sent now. */
    boolean take(int statements) {
        long now = nanos.getAsLong();
        long until = free.get();
        return until - now <= 0 && free.compareAndSet(until, now + statements * SHARE.toNanos());
    }

    /** They are sent in any case, since somebody waits for them: others wait the longer, but not for ever. */
    void spend(int statements) {
        long now = nanos.getAsLong();
        free.updateAndGet(until -> {
            long ahead = Math.max(0, until - now) + statements * SHARE.toNanos();
            return now + Math.min(ahead, LONGEST.toNanos());
        });
    }
}
