package dev.dibs.runs;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * How far a run is, over all its workers.
 *
 * @param name the run's name
 * @param state what it is at
 * @param changedBy who paused, stopped, resumed or started it last
 * @param changedAt when
 * @param reason why
 * @param batch how many rows a worker claims at once
 * @param rowsPerSecondLimit over all workers; 0 for no limit
 * @param maxFailures at how many failed attempts it stops; 0 for no limit
 * @param maxFailurePercent at how many failed attempts in a hundred it stops; 0 for no limit
 * @param total how many rows there were at the start, if they were counted
 * @param done how many rows have been completed since
 * @param failed how many attempts have failed since
 * @param retrying how many rows have failed and will be tried again
 * @param dead how many rows have been given up
 * @param rowsPerSecond how fast all workers are together
 * @param startedAt when it was started first, or anew after its end
 * @param finishedAt when nothing was left, if that is so
 * @param at when this was read, by the database's clock
 * @param workers all that ever worked on it, the latest first
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
        double rowsPerSecond,
        Instant startedAt,
        Optional<Instant> finishedAt,
        Instant at,
        List<RunWorkerInfo> workers) {

    /** A run that has come to its end is finished or incomplete, whatever was said to its workers before. */
    public RunStatus {
        state = finishedAt.isEmpty() ? state : dead + retrying == 0 ? RunState.FINISHED : RunState.INCOMPLETE;
    }

    /** How many rows are left, if they were counted; those that came later are not among them. */
    public OptionalLong left() {
        return total.isEmpty() ? total : OptionalLong.of(Math.max(0, total.getAsLong() - done - dead));
    }

    /** How long it will take at this speed; empty if that is not known, or nothing moves. */
    public Optional<Duration> eta() {
        if (left().isEmpty() || rowsPerSecond <= 0) {
            return Optional.empty();
        }
        return Optional.of(Duration.ofMillis(Math.round(left().getAsLong() * 1000 / rowsPerSecond)));
    }

    /** Whether nothing was left when a worker looked last, and no row is dead. */
    public boolean isFinished() {
        return state == RunState.FINISHED;
    }
}
