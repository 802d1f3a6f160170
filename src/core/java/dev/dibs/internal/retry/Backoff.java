package dev.dibs.internal.retry;

import java.util.concurrent.ThreadLocalRandom;

/** Pauses that grow, with a random part so that waiters do not fall into step. For one thread. */
public final class Backoff {

    private final RetryPolicy.Delays pauses;
    private long pause;

    public Backoff(RetryPolicy.Delays pauses) {
        this.pauses = pauses;
        this.pause = pauses.first().toNanos();
    }

    /** The next pause: between half of it and all of it. */
    public long nextNanos() {
        long nanos = ThreadLocalRandom.current().nextLong(pause / 2, pause + 1);
        pause = Math.min(pauses.longest().toNanos(), pause * 2);
        return nanos;
    }
}
