package dev.dibs.console;

import dev.dibs.Finding;
import dev.dibs.LeaseInfo;
import dev.dibs.once.OnceInfo;
import dev.dibs.runs.RunStatus;
import dev.dibs.runs.RunWorkerInfo;
import dev.dibs.text.RunNumbers;
import dev.dibs.text.Words;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Something that is stuck or has failed, and what to do about it.
 *
 * @param level how much it matters
 * @param what the sort of thing: run, once, database, or the kind of a lease, such as lock or permit
 * @param name its name
 * @param message the problem
 * @param since when it began
 * @param press what to do
 * @param mend the button that mends it
 */
record Problem(
        Level level, String what, String name, String message, Optional<Instant> since, String press, Mend mend) {

    /** The buttons of a problem. */
    enum Mend {
        /** There is none. */
        NONE,
        /** Resumes the run. */
        RESUME,
        /** Has the run's dead rows tried again. */
        RETRY,
        /** Makes the work due, after a question. */
        AGAIN,
        /** Takes the lease from its holder, after a question. */
        BREAK
    }

    /** In order of urgency. */
    enum Level {
        /** Nothing goes on before an operator acts. */
        ERROR,
        /** It may be intended. */
        WARNING,
        /** Good to know. */
        NOTE
    }

    /** A lock that is held longer than this is worth a look; it may be a leader's. */
    static final Duration LONG = Duration.ofMinutes(10);

    /** Older findings of the doctor may be out of date. */
    private static final Duration LATELY = Duration.ofMinutes(5);

    /** The largest number of these in the list. */
    private static final int MOST_HELD = 5;

    /** A run that has just begun has no rate yet. */
    private static final Duration YOUNG = Duration.ofMinutes(1);

    private static final int FACTOR = 3;

    static List<Problem> of(List<RunStatus> runs, List<OnceInfo> onces, List<LeaseInfo> holders, Instant now) {
        List<Problem> all = new ArrayList<>();
        runs.forEach(run -> all.addAll(of(run)));
        onces.forEach(once -> of(once, now).ifPresent(all::add));
        all.addAll(held(holders, now));
        all.sort(Comparator.comparing(Problem::level));
        return all;
    }

    /** The doctor's warnings when a visitor last looked, if that was recent. Each has its time. */
    static List<Problem> of(CachedQuery.@Nullable Seen<List<Finding>> seen, Instant now) {
        if (seen == null
                || seen.value() == null
                || Duration.between(seen.at(), now).compareTo(LATELY) > 0) {
            return List.of();
        }
        String when = " (as of " + Format.when(seen.at(), now).text() + ")";
        return seen.value().stream()
                .filter(finding -> finding.level().compareTo(Finding.Level.WARNING) >= 0)
                .map(finding -> new Problem(
                        finding.level() == Finding.Level.ERROR ? Level.ERROR : Level.WARNING,
                        "database",
                        finding.subject(),
                        Format.masked(finding.message()) + when,
                        Optional.empty(),
                        finding.remedy(),
                        Mend.NONE))
                .toList();
    }

    static List<Problem> of(RunStatus run) {
        List<Problem> all = new ArrayList<>();
        if (run.finishedAt().isEmpty()) {
            standing(run).ifPresent(all::add);
        }
        if (run.dead() > 0) {
            all.add(new Problem(
                    Level.WARNING,
                    "run",
                    run.name(),
                    RunNumbers.rows(run.dead()) + (run.dead() == 1 ? " is" : " are") + " dead",
                    Optional.empty(),
                    "Look at the errors, fix the cause, then press Retry dead rows",
                    Mend.RETRY));
        }
        return all;
    }

    private static Optional<Problem> standing(RunStatus run) {
        String why = " by " + run.changedBy() + (run.reason().isBlank() ? "" : ": " + run.reason());
        return switch (run.state()) {
            case PAUSED ->
                Optional.of(new Problem(
                        Level.WARNING,
                        "run",
                        run.name(),
                        "paused" + why,
                        Optional.of(run.changedAt()),
                        "Resume when the reason is gone",
                        Mend.RESUME));
            case STOPPED ->
                Optional.of(new Problem(
                        Level.ERROR,
                        "run",
                        run.name(),
                        "stopped" + why,
                        Optional.of(run.changedAt()),
                        "Resume, then start its workers again",
                        Mend.RESUME));
            case RUNNING -> notMoving(run);
            case FINISHED, INCOMPLETE -> Optional.empty();
        };
    }

    private static Optional<Problem> notMoving(RunStatus run) {
        List<RunWorkerInfo> alive =
                run.workers().stream().filter(RunWorkerInfo::alive).toList();
        Optional<Instant> seen =
                run.workers().stream().map(RunWorkerInfo::seenAt).max(Comparator.naturalOrder());
        Optional<String> error = run.workers().stream()
                .flatMap(worker -> worker.error().stream())
                .findFirst();
        if (alive.isEmpty()) {
            return Optional.of(new Problem(
                    Level.ERROR,
                    "run",
                    run.name(),
                    "not finished, and no worker is alive"
                            + error.map(why -> "; the last error that ended one: " + why)
                                    .orElse(""),
                    seen,
                    (error.isEmpty() ? "S" : "Fix the cause, then s")
                            + "tart a program that works on it: there is no button for that",
                    Mend.NONE));
        }
        boolean young = Duration.between(run.startedAt(), run.at()).compareTo(YOUNG) < 0;
        return run.rowsPerSecond() > 0 || young
                ? Optional.empty()
                : Optional.of(new Problem(
                        Level.WARNING,
                        "run",
                        run.name(),
                        "does not move, though " + alive.size() + (alive.size() == 1 ? " worker is" : " workers are")
                                + " alive",
                        Optional.empty(),
                        "Look at its workers' current rows, and at its errors",
                        Mend.NONE));
    }

    private static Optional<Problem> of(OnceInfo once, Instant now) {
        if (once.running().isPresent()) {
            Instant since = once.running().get().since();
            Duration usual = once.lastDuration().orElse(LONG).multipliedBy(FACTOR);
            Duration most = usual.compareTo(YOUNG) < 0 ? YOUNG : usual;
            return Duration.between(since, now).compareTo(most) < 0
                    ? Optional.empty()
                    : Optional.of(new Problem(
                            Level.WARNING,
                            "once",
                            once.name(),
                            "runs for longer than it used to, at " + once.holder(),
                            Optional.of(since),
                            "Check that process: no other one begins while it holds the lease",
                            Mend.NONE));
        }
        return once.retryAt().isEmpty()
                ? Optional.empty()
                : Optional.of(new Problem(
                        Level.ERROR,
                        "once",
                        once.name(),
                        "failed " + (once.failures() == 1 ? "once" : once.failures() + " times in a row") + ": "
                                + once.error(),
                        once.lastFailure(),
                        "Press Run again when the cause is fixed",
                        Mend.AGAIN));
    }

    private static List<Problem> held(List<LeaseInfo> holders, Instant now) {
        return holders.stream()
                .filter(holder -> Duration.between(holder.since(), now).compareTo(LONG) >= 0)
                .sorted(Comparator.comparing(holder -> holder.since()))
                .limit(MOST_HELD)
                .map(holder -> new Problem(
                        Level.NOTE,
                        Words.kind(holder),
                        holder.name(),
                        "held for long by " + holder.holder(),
                        Optional.of(holder.since()),
                        holder.kind() == LeaseInfo.Kind.TRANSACTION
                                ? "If that is not intended, end that session of the database"
                                : "If that is not intended, end that process, or break it",
                        holder.kind() == LeaseInfo.Kind.TRANSACTION ? Mend.NONE : Mend.BREAK))
                .toList();
    }
}
