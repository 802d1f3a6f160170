package dev.dibs.console;

import dev.dibs.runs.RunError;
import dev.dibs.runs.RunState;
import dev.dibs.runs.RunStatus;
import dev.dibs.runs.RunWorkerInfo;
import dev.dibs.text.Html;
import dev.dibs.text.RunJson;
import dev.dibs.text.RunNumbers;
import io.jstach.jstache.JStache;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** One run: its progress, its workers and their rows, its failures, and its controls. */
final class RunPage implements Page {

    /** How many workers, errors and dead rows are shown at first. On a phone each is a card, and a hundred would be too many. */
    private static final int SHOWN = 5;

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
                !request.param("all").isEmpty(),
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
            Optional<When> finishedAt,
            List<Worker> workers,
            String gone,
            List<Ended> ended,
            List<Failure> failures,
            Optional<String> moreFailures,
            String failed,
            List<Dead> dead,
            Optional<String> moreDead,
            Optional<String> showAll,
            Settings settings,
            boolean canPause,
            boolean canResume,
            boolean canStop,
            boolean canRetry,
            boolean isOver) {

        /** Settings have no effect on a run that has ended. */
        boolean canSet() {
            return frame.admin() && !isOver;
        }

        /** Whether there is a button that changes the state. */
        boolean canSwitch() {
            return canPause || canResume || canStop || canRetry;
        }
    }

    /** A worker that is alive. */
    record Worker(String key, String label, String done, String failed, String rate, String seen, String inHand) {}

    /** A worker that ended with an error. */
    record Ended(String key, String label, String error) {}

    /** A failed attempt. */
    record Failure(
            String key, String row, String attempt, String worker, When at, String message, Optional<String> stack) {}

    /** A row that was given up. */
    record Dead(String row, String attempts, When at, String message) {}

    /** The current settings. */
    record Settings(String batch, String rate, String maxFailures, String maxFailurePercent) {}

    /**
     * Makes the page.
     *
     * @param all whether to show everything that is cached, instead of the first few
     */
    private static RunView view(Frame frame, RunStatus run, Snapshot.Detail detail, boolean all, Instant now) {
        int most = all ? Snapshot.DETAILS : SHOWN;
        List<RunWorkerInfo> alive =
                run.workers().stream().filter(RunWorkerInfo::alive).toList();
        return new RunView(
                frame,
                RunsPage.row(run),
                Format.query(run.name()),
                run.finishedAt().isPresent() ? Optional.empty() : Optional.of(Format.text(run.changedBy())),
                Format.when(run.finishedAt().orElse(run.changedAt()), now),
                Format.when(run.startedAt(), now),
                run.finishedAt().map(time -> Format.when(time, now)),
                alive.stream()
                        .limit(most)
                        .map(worker -> worker(worker, run.at()))
                        .toList(),
                gone(alive.size(), run.workers().size(), most),
                ended(run, most),
                detail.errors().stream()
                        .limit(most)
                        .map(error -> failure(error, now))
                        .toList(),
                more("latest", most, detail.errors().size(), run.failed()),
                RunNumbers.failures(run),
                detail.dead().stream()
                        .limit(most)
                        .map(row -> new Dead(
                                Format.text(row.key()),
                                Long.toString(row.attempts()),
                                Format.when(row.failedAt(), now),
                                Format.message(row.message())))
                        .toList(),
                more("oldest", most, detail.dead().size(), run.dead()),
                all || max(alive.size(), detail.errors().size(), detail.dead().size()) <= most
                        ? Optional.empty()
                        : Optional.of("run?name=" + Format.query(run.name()) + "&all=yes"),
                new Settings(
                        Long.toString(run.batch()),
                        Format.number(run.rowsPerSecondLimit()),
                        Long.toString(run.maxFailures()),
                        Long.toString(run.maxFailurePercent())),
                frame.admin() && run.state() == RunState.RUNNING,
                frame.admin() && (run.state() == RunState.PAUSED || run.state() == RunState.STOPPED),
                frame.admin() && (run.state() == RunState.RUNNING || run.state() == RunState.PAUSED),
                frame.admin() && run.dead() > 0,
                run.state() == RunState.FINISHED || run.state() == RunState.INCOMPLETE);
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

    private static int max(int one, int two, int three) {
        return Math.max(one, Math.max(two, three));
    }

    private static Optional<String> more(String which, int most, int known, long there) {
        int shown = Math.min(most, known);
        return there <= shown || known == 0
                ? Optional.empty()
                : Optional.of("The " + which + " " + shown + " of " + there + " are shown.");
    }

    private static Worker worker(RunWorkerInfo worker, Instant at) {
        return new Worker(
                key(worker),
                Format.text(worker.worker()),
                Long.toString(worker.done()),
                Long.toString(worker.failed()),
                RunNumbers.rate(worker.rowsPerSecond()),
                Format.when(worker.seenAt(), at).ago(),
                Format.text(worker.inHand().orElse("–")));
    }

    private static Failure failure(RunError error, Instant now) {
        return new Failure(
                Format.query(error.failedAt().toEpochMilli() + ":" + error.attempt() + ":" + error.key()),
                error.key().isEmpty() ? "–" : Format.text(error.key()),
                Long.toString(error.attempt()),
                Format.text(error.worker()),
                Format.when(error.failedAt(), now),
                Format.message(error.errorClass() + (error.message().isEmpty() ? "" : ": " + error.message())),
                error.stack().isBlank() ? Optional.empty() : Optional.of(Format.lines(error.stack())));
    }
}
