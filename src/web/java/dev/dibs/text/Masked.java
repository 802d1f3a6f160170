package dev.dibs.text;

import dev.dibs.LeaseInfo;
import dev.dibs.once.OnceInfo;
import dev.dibs.runs.DeadLetter;
import dev.dibs.runs.RunError;
import dev.dibs.runs.RunStatus;
import dev.dibs.runs.RunWorkerInfo;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;

/**
 * What the database tells, without the passwords in errors and reasons. Command and console mask here, where they read, so that no
 * page, table or JSON has to.
 */
public final class Masked {

    private Masked() {}

    /** Runs whose reasons and whose workers' errors are masked. */
    public static List<RunStatus> runs(List<RunStatus> runs, UnaryOperator<String> mask) {
        return runs.stream().map(run -> run(run, mask)).toList();
    }

    /** A run whose reason and whose workers' errors are masked. */
    public static RunStatus run(RunStatus run, UnaryOperator<String> mask) {
        return new RunStatus(
                run.name(),
                run.state(),
                run.changedBy(),
                run.changedAt(),
                mask.apply(run.reason()),
                run.batch(),
                run.rowsPerSecondLimit(),
                run.maxFailures(),
                run.maxFailurePercent(),
                run.total(),
                run.done(),
                run.failed(),
                run.retrying(),
                run.dead(),
                run.deadBefore(),
                run.rowsPerSecond(),
                run.startedAt(),
                run.finishedAt(),
                run.at(),
                run.workers().stream().map(worker -> worker(worker, mask)).toList());
    }

    private static RunWorkerInfo worker(RunWorkerInfo worker, UnaryOperator<String> mask) {
        return new RunWorkerInfo(
                worker.worker(),
                worker.startedAt(),
                worker.seenAt(),
                worker.alive(),
                worker.done(),
                worker.failed(),
                worker.rowsPerSecond(),
                worker.currentRow(),
                worker.error().map(mask));
    }

    /** Failed attempts whose messages and stacks are masked. */
    public static List<RunError> errors(List<RunError> errors, UnaryOperator<String> mask) {
        return errors.stream()
                .map(error -> new RunError(
                        error.key(),
                        error.attempt(),
                        error.worker(),
                        error.failedAt(),
                        error.errorClass(),
                        mask.apply(error.message()),
                        mask.apply(error.stack())))
                .toList();
    }

    /** Dead rows whose messages are masked. */
    public static List<DeadLetter> dead(List<DeadLetter> rows, UnaryOperator<String> mask) {
        return rows.stream()
                .map(row -> new DeadLetter(row.key(), row.attempts(), row.failedAt(), mask.apply(row.message())))
                .toList();
    }

    /** Work that is done once a period, with masked errors. */
    public static List<OnceInfo> onces(List<OnceInfo> onces, UnaryOperator<String> mask) {
        return onces.stream().map(once -> once(once, mask)).toList();
    }

    private static OnceInfo once(OnceInfo once, UnaryOperator<String> mask) {
        return new Once(
                once.name(),
                once.running(),
                once.holder(),
                once.lastSuccess(),
                once.lastFailure(),
                mask.apply(once.error()),
                once.failures(),
                once.retryAt(),
                once.lastDuration());
    }

    /** Work that is done once a period, as a value. */
    public record Once(
            String name,
            Optional<LeaseInfo> running,
            String holder,
            Optional<Instant> lastSuccess,
            Optional<Instant> lastFailure,
            String error,
            long failures,
            Optional<Instant> retryAt,
            Optional<Duration> lastDuration)
            implements OnceInfo {}
}
