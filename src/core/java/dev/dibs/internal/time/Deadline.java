package dev.dibs.internal.time;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** The end of a wait by the monotonic clock, for one wait or several in a row. */
public record Deadline(long nanos) {

    /** The deadline after this time from now. */
    public static Deadline in(Duration length) {
        return new Deadline(System.nanoTime() + length.toNanos());
    }

    /** The time that is left; zero if the deadline has passed. */
    public Duration left() {
        return Duration.ofNanos(Math.max(0, nanos - System.nanoTime()));
    }

    /** The same in milliseconds. */
    public long millis() {
        return left().toMillis();
    }

    /** The deadline in the middle of the time that is left, which leaves time for later waits. */
    public Deadline half() {
        return in(left().dividedBy(2));
    }

    /** Waits until then for the end of a thread, unless the caller is interrupted. */
    public void join(Thread thread) {
        try {
            TimeUnit.NANOSECONDS.timedJoin(thread, left().toNanos());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    public boolean isOver() {
        return left().isZero();
    }
}
