package dev.dibs.internal.runs;

import dev.dibs.runs.RunWorkers;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** The signal that ends the workers of one process, and the way they ended. Safe for use by any thread. */
final class StopSignal {

    /** Those of them that have nothing to do. */
    final IdleWorkers idle = new IdleWorkers(this::isWanted);

    private final CountDownLatch wanted = new CountDownLatch(1);
    private final AtomicReference<RunWorkers.@Nullable End> end = new AtomicReference<>();
    private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();

    /** Ends the workers after their current rows. */
    void now() {
        wanted.countDown();
        idle.wakeAll();
    }

    /** Also true if the thread is interrupted: the worker's pool may be shutting down. */
    boolean isWanted() {
        return wanted.getCount() == 0 || Thread.currentThread().isInterrupted();
    }

    /** Sleeps, unless the worker is to end. */
    void sleep(long nanos) {
        try {
            boolean unused = wanted.await(nanos, TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** The run has ended, as each of the others may see. */
    void ended(RunWorkers.End how) {
        end.compareAndSet(null, how);
        idle.wakeAll();
    }

    /** A worker ended with an error; the others may go on. */
    void failed(Throwable why) {
        failure.compareAndSet(null, why);
        idle.wakeAll();
    }

    @Nullable
    Throwable failure() {
        return failure.get();
    }

    /** A failed worker matters only if the others did not finish the run. */
    RunWorkers.End end() {
        RunWorkers.End how = end.get();
        if (how != null) {
            return how;
        }
        return failure.get() == null ? RunWorkers.End.CLOSED : RunWorkers.End.FAILED;
    }
}
