package dev.dibs.internal.time;

import java.util.concurrent.TimeUnit;

/** Clocks that move only on request. For one thread. */
public final class ManualClock implements LocalClock {
    private long nanos = Long.MAX_VALUE - 5;
    private long wall = 1_000_000;

    /** Both clocks go on. */
    public void run(long millis) {
        nanos += TimeUnit.MILLISECONDS.toNanos(millis);
        wall += millis;
    }

    /** The machine sleeps: only the wall clock goes on. */
    public void suspend(long millis) {
        wall += millis;
    }

    @Override
    public long nanos() {
        return nanos;
    }

    @Override
    public long wallMillis() {
        return wall;
    }
}
