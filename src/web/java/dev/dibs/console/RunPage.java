package dev.dibs.console;

import dev.dibs.runs.DeadLetter;
import dev.dibs.runs.RunError;
import dev.dibs.runs.RunState;
import dev.dibs.runs.RunStatus;
import dev.dibs.runs.RunWorkerInfo;
import dev.dibs.text.Html;
import dev.dibs.text.RunJson;
import dev.dibs.text.RunNumbers;
import io.jstach.jstache.JStache;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** One run: its progress over time, its failures, its workers and their rows, and its controls. */
final class RunPage implements Page {

    /** How many workers and different errors are shown at first. On a phone each is a card, and a hundred would be too many. */
    private static final int SHOWN = 5;

    /** How many keys and attempts stand in one line; they are short. */
    private static final int KEYS = 20;

    private final Snapshot snapshot;

    RunPage(Snapshot snapshot) {
        this.snapshot = snapshot;
    }

    @Override
    public String path() {
        return "run";
    }

    @Override
    public String under() {
        return "runs";
    }

    @Override
    public Answer answer(PageRequest request) {
        Wait wait = snapshot.begin();
        var seen = snapshot.runs().get(wait);
        if (seen.value() == null) {
            return MessagePages.noDatabase(request, seen.problem());
        }
        Optional<RunStatus> found = seen.value().stream()
                .filter(run -> run.name().equals(request.param("name")))
                .findFirst();
        if (found.isEmpty()) {
            return MessagePages.missing(request, "There is no such run: it was never started.");
        }
        RunStatus run = found.get();
        if (request.json() && request.param("show").isEmpty()) {
            return Answer.json(() -> RunJson.run(run));
        }
        var detail = snapshot.detail(run.name()).get(wait);
        if (detail.value() == null) {
            return MessagePages.noDatabase(request, detail.problem());
        }
        if (request.json()) {
            return json(detail.value(), request.param("show"));
        }
        RunView view = view(
                Frame.of(request, "Run " + Format.text(run.name()), CachedQuery.Seen.oldest(seen, detail), false),
                run,
                detail.value(),
                snapshot.history().of(run.name()),
                request.param("all").isEmpty() ? SHOWN : Snapshot.DETAILS,
                Instant.now());
        return Answer.html(out -> RunViewRenderer.render(view, out, Html::text, Html::escape));
    }

    private static Answer json(Snapshot.Detail detail, String which) {
        return switch (which) {
            case "errors" -> Answer.json(() -> RunJson.errors(detail.errors(), true));
            case "dead" -> Answer.json(() -> RunJson.dead(detail.dead()));
            default -> MessagePages.problem(400, "show is errors or dead");
        };
    }

    @JStache(path = "run")
    record RunView(
            Frame frame,
            RunsPage.Row row,
            String name,
            Optional<String> changedBy,
            When changedAt,
            When startedAt,
            String retrying,
            Optional<String> deadBefore,
            List<ProblemRow> problems,
            List<Chart> charts,
            String course,
            List<Failure> failures,
            String errorsShown,
            List<Dead> deadRows,
            String deadShown,
            List<Worker> workers,
            String gone,
            List<Ended> ended,
            Optional<String> showAll,
            Settings settings,
            boolean canPause,
            boolean canSwitch,
            boolean isOver) {

        boolean hasErrors() {
            return !failures.isEmpty();
        }

        boolean hasDead() {
            return !deadRows.isEmpty();
        }

        boolean hasWorkers() {
            return !workers.isEmpty();
        }

        /** Settings have no effect on a run that has ended. */
        boolean canSet() {
            return frame.admin() && !isOver;
        }
    }

    /** A worker that is alive. */
    record Worker(String key, String label, String done, String failed, String rate, String seen, String currentRow) {}

    /** A worker that ended with an error. */
    record Ended(String key, String label, String error) {}

    /** Failed attempts with equal errors. */
    record Failure(
            String key,
            String times,
            String message,
            When last,
            When first,
            List<Attempt> attempts,
            Optional<String> stack) {}

    /** A failed attempt. */
    record Attempt(String row, String attempt, String worker, String at) {}

    /** Rows that were given up for equal errors. */
    record Dead(String key, String times, String message, String keys, Optional<String> moreKeys, When last) {}

    /** The current settings. */
    record Settings(String batch, String rate, String maxFailures, String maxFailurePercent, String words) {}

    private static RunView view(
            Frame frame,
            RunStatus run,
            Snapshot.Detail detail,
            List<RunHistory.Sample> history,
            int most,
            Instant now) {
        List<RunWorkerInfo> alive =
                run.workers().stream().filter(RunWorkerInfo::alive).toList();
        List<ErrorGroup<RunError>> errors = ErrorGroup.of(
                detail.errors(), error -> ErrorGroup.shape(error.errorClass() + ": " + error.message(), error.key()));
        List<ErrorGroup<DeadLetter>> dead =
                ErrorGroup.of(detail.dead(), row -> ErrorGroup.shape(row.message(), row.key()));
        boolean over = run.state() == RunState.FINISHED || run.state() == RunState.INCOMPLETE;
        return new RunView(
                frame,
                RunsPage.row(run, Optional.empty()),
                Format.query(run.name()),
                run.finishedAt().isPresent() ? Optional.empty() : Optional.of(Format.text(run.changedBy())),
                Format.when(run.finishedAt().orElse(run.changedAt()), now),
                Format.when(run.startedAt(), now),
                Long.toString(run.retrying()),
                run.deadBefore() == 0 ? Optional.empty() : Optional.of(Long.toString(run.deadBefore())),
                Problem.of(run).stream()
                        .map(problem -> ProblemRow.here(problem, frame.admin(), now))
                        .toList(),
                Chart.of(history),
                course(run, history),
                errors.stream().limit(most).map(alike -> failure(alike, now)).toList(),
                shown("latest", "failed attempt", run.failed(), detail.errors().size(), errors.size(), most),
                dead.stream().limit(most).map(alike -> dead(alike, now)).toList(),
                shown("oldest", "dead row", run.dead(), detail.dead().size(), dead.size(), most),
                alive.stream()
                        .limit(most)
                        .map(worker -> worker(worker, run.at()))
                        .toList(),
                gone(alive.size(), run.workers().size(), most),
                ended(run, most),
                Math.max(alive.size(), Math.max(errors.size(), dead.size())) <= most
                        ? Optional.empty()
                        : Optional.of("run?name=" + Format.query(run.name()) + "&all=yes"),
                settings(run),
                run.state() == RunState.RUNNING,
                frame.admin() && (run.state() == RunState.RUNNING || run.state() == RunState.PAUSED),
                over);
    }

    /** Since when the charts have data, and what is known of the time before. */
    private static String course(RunStatus run, List<RunHistory.Sample> history) {
        Duration length = Duration.between(run.startedAt(), run.finishedAt().orElse(run.at()));
        String average = length.toMillis() <= 0
                ? ""
                : "Since its start: " + RunNumbers.rate(run.done() * 1000.0 / length.toMillis()) + " on average, for "
                        + RunNumbers.duration(length) + ". ";
        return average
                + (Chart.of(history).isEmpty()
                        ? run.finishedAt().isPresent()
                                ? "It had ended before this console looked at it, so there is no chart."
                                : "The charts begin when this console has looked at it for some seconds."
                        : "The charts are in the memory of this console, and have averages where nobody looked.");
    }

    /** What part of a list is shown, and in how many lines. */
    private static String shown(String which, String what, long there, int known, int lines, int most) {
        String all = there + " " + what + (there == 1 ? "" : "s");
        if (known == 0) {
            return there == 0 ? "None" : all + ", whose errors are not kept any more.";
        }
        return (known < there ? "The " + which + " " + known + " of " + all : all) + ", "
                + (lines == 1 ? "all with the same error" : "with " + lines + " different errors")
                + (lines > most ? "; the first " + most + " are shown." : ".");
    }

    private static Failure failure(ErrorGroup<RunError> alike, Instant now) {
        RunError latest = alike.first();
        RunError oldest = alike.all().get(alike.all().size() - 1);
        return new Failure(
                alike.id(),
                Integer.toString(alike.all().size()),
                Format.message(latest.errorClass() + (latest.message().isEmpty() ? "" : ": " + latest.message())),
                Format.when(latest.failedAt(), now),
                Format.when(oldest.failedAt(), now),
                alike.all().stream()
                        .limit(KEYS)
                        .map(error -> attempt(error, now))
                        .toList(),
                latest.stack().isBlank() ? Optional.empty() : Optional.of(Format.lines(latest.stack())));
    }

    private static Attempt attempt(RunError error, Instant now) {
        return new Attempt(
                error.key().isEmpty() ? "–" : Format.text(error.key()),
                Long.toString(error.attempt()),
                Format.text(error.worker()),
                Format.when(error.failedAt(), now).ago());
    }

    private static Dead dead(ErrorGroup<DeadLetter> alike, Instant now) {
        DeadLetter oldest = alike.first();
        List<String> keys =
                alike.all().stream().map(row -> Format.text(row.key())).toList();
        return new Dead(
                alike.id(),
                Integer.toString(keys.size()),
                Format.message(oldest.message()),
                keys.stream().limit(SHOWN).collect(Collectors.joining(", ")) + (keys.size() > SHOWN ? ", .." : ""),
                keys.size() > SHOWN ? Optional.of(String.join(", ", keys)) : Optional.empty(),
                Format.when(alike.all().get(keys.size() - 1).failedAt(), now));
    }

    private static String gone(int alive, int all, int most) {
        return alive + " alive, " + (all - alive) + " gone"
                + (alive > most ? "; the first " + most + " are shown" : "");
    }

    private static List<Ended> ended(RunStatus run, int most) {
        return run.workers().stream()
                .filter(worker -> worker.error().isPresent())
                .limit(most)
                .map(worker -> new Ended(
                        key(worker),
                        Format.text(worker.worker()),
                        Format.message(worker.error().get())))
                .toList();
    }

    private static String key(RunWorkerInfo worker) {
        return Format.query(worker.worker() + ":" + worker.startedAt().toEpochMilli());
    }

    private static Worker worker(RunWorkerInfo worker, Instant at) {
        return new Worker(
                key(worker),
                Format.text(worker.worker()),
                Long.toString(worker.done()),
                Long.toString(worker.failed()),
                RunNumbers.rate(worker.rowsPerSecond()),
                Format.when(worker.seenAt(), at).ago(),
                Format.text(worker.currentRow().orElse("–")));
    }

    private static Settings settings(RunStatus run) {
        String limits = (run.maxFailures() > 0 ? ", stops at " + run.maxFailures() + " failed attempts" : "")
                + (run.maxFailurePercent() > 0 ? ", stops at " + run.maxFailurePercent() + " % failed attempts" : "");
        return new Settings(
                Long.toString(run.batch()),
                Format.number(run.rowsPerSecondLimit()),
                Long.toString(run.maxFailures()),
                Long.toString(run.maxFailurePercent()),
                RunNumbers.rows(run.batch()) + " a claim, "
                        + (run.rowsPerSecondLimit() > 0
                                ? "at most " + Format.number(run.rowsPerSecondLimit()) + " rows a second"
                                : "no limit of the rate")
                        + (limits.isEmpty() ? ", no failures stop it" : limits));
    }
}
