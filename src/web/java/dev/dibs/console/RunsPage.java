package dev.dibs.console;

import dev.dibs.runs.RunStatus;
import dev.dibs.runs.RunWorkerInfo;
import dev.dibs.text.Html;
import dev.dibs.text.RunJson;
import dev.dibs.text.RunNumbers;
import io.jstach.jstache.JStache;
import java.util.List;
import java.util.Optional;

/** All runs. */
final class RunsPage implements Page {

    private static final long HUNDRED = 100;

    private final Snapshot snapshot;

    RunsPage(Snapshot snapshot) {
        this.snapshot = snapshot;
    }

    @Override
    public String path() {
        return "runs";
    }

    @Override
    public String label() {
        return "Runs";
    }

    @Override
    public Answer answer(PageRequest request) {
        var seen = snapshot.runs().get(snapshot.begin());
        if (seen.value() == null) {
            return MessagePages.noDatabase(request, seen.problem());
        }
        List<RunStatus> chosen =
                seen.value().stream().filter(run -> request.finds(run.name())).toList();
        if (request.json()) {
            return Answer.list(chosen, request, list -> RunJson.runs(list));
        }
        RunsView view = new RunsView(
                Frame.of(request, "Runs", seen, true),
                request.param("q"),
                Pagination.of(
                        chosen,
                        seen.value().size(),
                        request.part(),
                        "runs?q=" + Format.query(request.param("q")) + "&part=",
                        run -> row(run, Chart.spark(snapshot.history().of(run.name())))));
        return Answer.html(out -> RunsViewRenderer.render(view, out, Html::text, Html::escape));
    }

    @JStache(path = "runs")
    record RunsView(Frame frame, String query, Pagination<Row> part) {}

    /**
     * The progress of a run.
     *
     * @param value in percent; empty if the total is unknown
     * @param spark the path of its rate over time, if it is known
     */
    record Row(
            String key,
            String name,
            String href,
            String state,
            String style,
            Optional<String> reason,
            Optional<String> value,
            String percent,
            String done,
            String rate,
            Optional<String> left,
            String failures,
            String dead,
            String alive,
            Optional<String> spark) {}

    static Row row(RunStatus run, Optional<String> spark) {
        String state = RunNumbers.state(run);
        return new Row(
                Format.query(run.name()),
                Format.text(run.name()),
                "run?name=" + Format.query(run.name()),
                state,
                style(state),
                run.reason().isBlank() || run.finishedAt().isPresent()
                        ? Optional.empty()
                        : Optional.of(Format.message(run.reason())),
                run.total().isEmpty() ? Optional.empty() : Optional.of(Long.toString(percent(run))),
                RunNumbers.percent(run),
                RunNumbers.done(run),
                RunNumbers.rate(run.rowsPerSecond()),
                left(RunNumbers.eta(run)),
                Long.toString(run.failed()),
                Long.toString(run.dead()),
                Long.toString(
                        run.workers().stream().filter(RunWorkerInfo::alive).count()),
                spark);
    }

    private static Optional<String> left(String eta) {
        return eta.isEmpty() ? Optional.empty() : Optional.of(eta.equals("?") ? "not known" : "about " + eta);
    }

    static String style(String state) {
        return switch (state) {
            case "running", "finished" -> "good";
            case "stopped", "incomplete" -> "error";
            default -> "warning";
        };
    }

    /** Rounded down, like the text beside it. */
    static long percent(RunStatus run) {
        long total = run.total().orElse(0);
        return run.done() >= total ? HUNDRED : (long) ((double) run.done() / total * HUNDRED);
    }
}
