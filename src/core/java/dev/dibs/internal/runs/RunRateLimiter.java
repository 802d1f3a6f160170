package dev.dibs.internal.runs;

import dev.dibs.internal.sql.call.Steps;
import dev.dibs.internal.sql.errors.SqlFailure;
import dev.dibs.runs.RunState;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Keeps a worker to the rate that all workers of a run share. Each worker reserves in the run's row the time that its next batch costs, and
 * waits until that time. The update fails if another worker was faster.
 *
 * <p>For one worker's thread.
 */
final class RunRateLimiter {

    private static final long MICROS_PER_ROW_AT_ONE = 1_000_000_000L;
    private static final long LONGEST_SLEEP_MICROS = 500_000;

    private final RunTable table;
    private final StopSignal stop;
    private @Nullable RunSwitches known;

    RunRateLimiter(RunTable table, StopSignal stop) {
        this.table = table;
        this.stop = stop;
    }

    /** An answer had the run's switches; null if they must be read again. */
    void know(@Nullable RunSwitches run) {
        known = run;
    }

    /**
     * Returns the run's switches when the next batch may be claimed, or when they have changed; null if there is no run.
     *
     * @param beforeWait is sent before a wait
     */
    @Nullable
    RunSwitches await(Steps.Send beforeWait) throws SqlFailure {
        RunSwitches run = known == null ? table.switches().orElse(null) : known;
        while (run != null && run.rate() > 0 && run.state() == RunState.RUNNING && !stop.isWanted()) {
            long start = Math.max(run.nextMicros(), run.readMicros());
            long end = start + run.batch() * MICROS_PER_ROW_AT_ONE / run.rate();
            if (table.takeAllowance(run.nextMicros(), end)) {
                return waitUntil(start, run, beforeWait);
            }
            run = table.switches().orElse(null);
        }
        return run;
    }

    private @Nullable RunSwitches waitUntil(long startMicros, RunSwitches taken, Steps.Send beforeWait)
            throws SqlFailure {
        RunSwitches run = taken;
        if (startMicros > run.readMicros()) {
            beforeWait.send();
        }
        while (run != null
                && run.readMicros() < startMicros
                && run.state() == RunState.RUNNING
                && run.rate() == taken.rate()
                && !stop.isWanted()) {
            stop.sleep(TimeUnit.MICROSECONDS.toNanos(Math.min(LONGEST_SLEEP_MICROS, startMicros - run.readMicros())));
            run = table.switches().orElse(null);
        }
        return run;
    }
}
