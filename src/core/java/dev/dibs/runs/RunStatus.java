package dev.dibs.runs;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The progress of a run, over all its workers.
 *
 * @param name the run's name
 * @param state its state
 * @param changedBy the label of the caller that paused, stopped, resumed or started it last
 * @param changedAt when that was
 * @param reason the reason for it
 * @param batch how many rows a worker claims at once
 * @param rowsPerSecondLimit over all workers; 0 for no limit
 * @param maxFailures after how many failed attempts it stops; 0 for no limit
 * @param maxFailurePercent at which percentage of failed attempts it stops; 0 for no limit
 * @param total how many rows there were at the start, if they were counted
 * @param done how many rows have been completed since the start
 * @param failed how many attempts have failed since the start
 * @param retrying how many rows have failed and will be tried again
 * @param dead how many rows have been given up
 * @param deadBefore how many of them had been given up before the run was started again; they are not in the total
 * @param rowsPerSecond the speed of all workers together
 * @param startedAt when it was first started, or started again after its end
 * @param finishedAt when no row was left, if the run has ended
 * @param at when this status was read, by the database's clock
 * @param workers all workers that the run ever had, the latest first
 */
public record RunStatus(
        String name,
        RunState state,
        String changedBy,
        Instant changedAt,
        String reason,
        long batch,
        double rowsPerSecondLimit,
        long maxFailures,
        long maxFailurePercent,
        OptionalLong total,
        long done,
        long failed,
        long retrying,
        long dead,
        long deadBefore,
        double rowsPerSecond,
        Instant startedAt,
        Optional<Instant> finishedAt,
        Instant at,
        List<RunWorkerInfo> workers) {

    /** A run that has ended is finished or incomplete, even if it was paused or stopped before. */
    public RunStatus {
        state = finishedAt.isEmpty() ? state : dead + retrying == 0 ? RunState.FINISHED : RunState.INCOMPLETE;
    }

    /** How many rows are left, if they were counted. Rows that came later are not included. */
    public OptionalLong left() {
        return total.isEmpty() ? total : OptionalLong.of(Math.max(0, total.getAsLong() - done - (dead - deadBefore)));
    }

    /** How long the rest will take at this speed; empty if that is unknown or the speed is zero. */
    public Optional<Duration> eta() {
        if (left().isEmpty() || rowsPerSecond <= 0) {
            return Optional.empty();
        }
        return Optional.of(Duration.ofMillis(Math.round(left().getAsLong() * 1000 / rowsPerSecond)));
    }

    /** Whether no row was left when a worker last looked, and no row is dead. */
    public boolean isFinished() {
        return state == RunState.FINISHED;
    }
}
