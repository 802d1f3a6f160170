package dev.dibs.internal.time;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * How many statements that give something back are on their way, on threads of the application. Who closes waits for them: then the
 * application closes its pool, which would end them without an effect. Safe for use by any thread.
 */
public final class InFlight {

    private static final long PAUSE = TimeUnit.MILLISECONDS.toNanos(1);

    private final AtomicInteger count = new AtomicInteger();

    /** Before what is given back is forgotten: whoever finds nothing to give back must see this. */
    public void begin() {
        count.incrementAndGet();
    }

    /** The answer is there, or the rest is left to the background. */
    public void end() {
        count.decrementAndGet();
    }

    /**
     * Waits until there are none, even if the calling thread is interrupted; at most until the deadline.
     *
     * @param rest returns whether nothing is left that one may still begin for
     */
    public void awaitNone(BooleanSupplier rest, Deadline deadline) {
        boolean interrupted = false;
        // In this order: what is given back begins before it leaves the rest.
        while (!(rest.getAsBoolean() && count.get() == 0) && !deadline.isOver()) {
            interrupted |= Thread.interrupted();
            LockSupport.parkNanos(this, PAUSE);
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
