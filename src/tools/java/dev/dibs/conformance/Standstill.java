package dev.dibs.conformance;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;

/**
 * The longest time for which this process stood still: the machine had no time for it, or it was stopped. Then the proxies stood still,
 * too, and no client could renew.
 */
final class Standstill implements AutoCloseable {

    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    private final LongSupplier nanos;
    private final AtomicBoolean over = new AtomicBoolean();
    private volatile long longest;

    /** Watches from now on, on a thread of its own. */
    Standstill() {
        this(System::nanoTime);
    }

    /** For tests: with their own clock. */
    Standstill(LongSupplier nanos) {
        this.nanos = nanos;
        Thread thread = new Thread(this::watch, "dibs-conformance-standstill");
        thread.setDaemon(true);
        thread.start();
    }

    /** A sleep that lasts longer than it should shows that nobody ran. */
    private void watch() {
        long last = nanos.getAsLong();
        while (!over.get()) {
            try {
                TimeUnit.NANOSECONDS.sleep(LOOK_NANOS);
            } catch (InterruptedException e) {
                return;
            }
            long now = nanos.getAsLong();
            longest = Math.max(longest, now - last - LOOK_NANOS);
            last = now;
        }
    }

    long longestNanos() {
        return longest;
    }

    @Override
    public void close() {
        over.set(true);
    }
}
