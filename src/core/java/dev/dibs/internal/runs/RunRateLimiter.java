package dev.dibs.internal.runs;

import dev.dibs.internal.sql.call.Steps;
import dev.dibs.internal.sql.errors.SqlFailure;
import dev.dibs.runs.RunState;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Keeps a worker to the rate that all workers of a run share. A worker waits until some time is free, and reserves in the run's row what its
 * next batch costs. The update fails if another worker was faster. What a batch does not need is given back: looks that find little use up
 * nothing.
 *
 * <p>For one worker's thread.
 */
final class RunRateLimiter {

    /** Wakes do not make it read the rate more often. */
    private static final long BETWEEN_READS = TimeUnit.MILLISECONDS.toNanos(50);

    private static final long MICROS_PER_ROW_AT_ONE = 1_000_000_000L;
    private static final long LONGEST_SLEEP_MICROS = 500_000;

    /** A worker that wakes up a little late, and then has to ask, does not lower the rate. */
    private static final long LATE_MICROS = 20_000;

    private final RunTable table;
    private final StopSignal stop;
    private final Object worker;
    private @Nullable RunSwitches known;

    /** When that was read, by the local clock. */
    private long knownSince;

    private long reservedFrom;
    private long reservedTo;

    RunRateLimiter(RunTable table, StopSignal stop, Object worker) {
        this.table = table;
        this.stop = stop;
        this.worker = worker;
    }

    /** An answer had the run's switches; null if they must be read again. */
    void know(@Nullable RunSwitches run) {
        known = run;
        knownSince = System.nanoTime();
    }

    /**
     * Returns the run's switches when the next batch may be claimed, or when they have changed; null if there is no run.
     *
     * @param beforeWait is sent before a wait
     */
    @Nullable
    RunSwitches await(Steps.Send beforeWait) throws SqlFailure {
        while (true) {
            if (known == null) {
                know(table.switches().orElse(null));
            }
            RunSwitches run = known;
            if (run == null || run.rate() == 0 || run.state() != RunState.RUNNING || stop.isWanted()) {
                return run;
            }
            long now = run.readAt() + TimeUnit.NANOSECONDS.toMicros(System.nanoTime() - knownSince);
            long wait = run.nextAt() - now;
            reservedFrom = Math.max(run.nextAt(), now - LATE_MICROS);
            reservedTo = reservedFrom + cost(run.batch(), run);
            if (wait <= 0 && table.takeAllowance(run.nextAt(), reservedTo)) {
                return run;
            }
            if (wait > 0) {
                beforeWait.send();
                long nanos = TimeUnit.MICROSECONDS.toNanos(Math.min(LONGEST_SLEEP_MICROS, wait));
                long until = System.nanoTime() + Math.min(nanos, BETWEEN_READS);
                stop.idle.rest(worker, nanos);
                stop.sleep(Math.max(0, until - System.nanoTime()));
            }
            known = null;
        }
    }

    private static long cost(long rows, RunSwitches run) {
        return rows * MICROS_PER_ROW_AT_ONE / run.rate();
    }

    /** So many rows were claimed in the reserved time. The rest of it is given back, unless another worker has reserved more since. */
    void claimed(int rows) {
        RunSwitches run = known;
        if (run != null && run.rate() > 0 && rows < run.batch() && run.nextAt() == reservedTo) {
            known = null;
            try {
                boolean unused = table.takeAllowance(reservedTo, reservedFrom + cost(rows, run));
            } catch (SqlFailure e) {
                // The rows come first. If the database is away, the next statement tells.
            }
        }
    }
}
