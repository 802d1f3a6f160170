package dev.dibs.internal.time;

import java.time.Duration;

/** When to stop waiting, by the monotonic clock: one for several waits in a row. */
public record Deadline(long nanos) {

    /** So long from now. */
    public static Deadline in(Duration length) {
        return new Deadline(System.nanoTime() + length.toNanos());
    }

    /** What is left; zero if it is over. */
    public Duration left() {
        return Duration.ofNanos(Math.max(0, nanos - System.nanoTime()));
    }

    /** The same in milliseconds. */
    public long millis() {
        return left().toMillis();
    }

    /** In the middle of what is left, so that there is time for others. */
    public Deadline half() {
        return in(left().dividedBy(2));
    }

    public boolean isOver() {
        return left().isZero();
    }
}
