package dev.dibs.internal.time;

import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/** Pauses that grow, with a random part so that waiters do not fall into step. For one thread. */
public final class Backoff {

    private static final long FIRST = TimeUnit.MILLISECONDS.toNanos(5);
    private static final long LONGEST = TimeUnit.MILLISECONDS.toNanos(100);

    private long pause = FIRST;

    /** The next pause: between half of it and all of it. */
    public long nextNanos() {
        long nanos = ThreadLocalRandom.current().nextLong(pause / 2, pause + 1);
        pause = Math.min(LONGEST, pause * 2);
        return nanos;
    }
}
