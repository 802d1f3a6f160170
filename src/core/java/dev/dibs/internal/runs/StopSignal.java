package dev.dibs.internal.runs;

import dev.dibs.runs.RunWorkers;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** The switch that ends the workers of one process, and how they ended. Safe for use by any thread. */
final class StopSignal {

    private final CountDownLatch wanted = new CountDownLatch(1);
    private final AtomicReference<RunWorkers.@Nullable End> end = new AtomicReference<>();
    private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();

    /** Ends them after the row that each has in hand. */
    void now() {
        wanted.countDown();
    }

    /** Also if somebody interrupts the thread: the pool that a worker runs in may be shutting down. */
    boolean isWanted() {
        return wanted.getCount() == 0 || Thread.currentThread().isInterrupted();
    }

    /** Sleeps, unless it is to end. */
    void sleep(long nanos) {
        try {
            boolean unused = wanted.await(nanos, TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Sleeps also while it is to end. */
    void nap(long nanos) {
        LockSupport.parkNanos(nanos);
    }

    void ended(RunWorkers.End how) {
        end.compareAndSet(null, how);
    }

    /** One of them could not go on; the others may. */
    void failed(Throwable why) {
        failure.compareAndSet(null, why);
    }

    @Nullable
    Throwable failure() {
        return failure.get();
    }

    /** A worker that failed matters only if the others did not bring the run to its end. */
    RunWorkers.End end() {
        RunWorkers.End how = end.get();
        if (how != null) {
            return how;
        }
        return failure.get() == null ? RunWorkers.End.CLOSED : RunWorkers.End.FAILED;
    }
}
