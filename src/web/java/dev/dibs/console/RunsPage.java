package dev.dibs.console;

import dev.dibs.runs.RunStatus;
import dev.dibs.runs.RunWorkerInfo;
import dev.dibs.text.RunNumbers;
import io.jstach.jstache.JStache;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** All runs. */
@JStache(path = "runs")
record RunsPage(Frame frame, String query, Pagination<Row> part) {

    private static final long HUNDRED = 100;

    /**
     * The progress of a run.
     *
     * @param value in percent; empty if the total is unknown
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
            String alive) {}

    static List<RunStatus> chosen(List<RunStatus> all, PageRequest pageRequest) {
        String text = pageRequest.param("q").toLowerCase(Locale.ROOT);
        return all.stream().filter(run -> LocksPage.contains(run.name(), text)).toList();
    }

    static Row row(RunStatus run) {
        String state = RunNumbers.state(run);
        return new Row(
                Format.query(run.name()),
                Format.text(run.name()),
                "run?name=" + Format.query(run.name()),
                state,
                style(state),
                run.reason().isBlank() || run.finishedAt().isPresent()
                        ? Optional.empty()
                        : Optional.of(Format.message(Format.masked(run.reason()))),
                run.total().isEmpty() ? Optional.empty() : Optional.of(Long.toString(percent(run))),
                RunNumbers.percent(run),
                RunNumbers.done(run),
                RunNumbers.rate(run.rowsPerSecond()),
                left(RunNumbers.eta(run)),
                Long.toString(run.failed()),
                Long.toString(run.dead()),
                Long.toString(
                        run.workers().stream().filter(RunWorkerInfo::alive).count()));
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
