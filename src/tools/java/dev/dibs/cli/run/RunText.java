package dev.dibs.cli.run;

import dev.dibs.cli.terminal.LineLength;
import dev.dibs.cli.terminal.TextTable;
import dev.dibs.runs.DeadLetter;
import dev.dibs.runs.RunError;
import dev.dibs.runs.RunStatus;
import dev.dibs.runs.RunWorkerInfo;
import dev.dibs.text.OneLine;
import dev.dibs.text.RunNumbers;
import dev.dibs.text.Words;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Runs for people. */
final class RunText {

    private static final String INDENT = "    ";

    private RunText() {}

    static String list(List<RunStatus> runs) {
        List<List<String>> rows = new ArrayList<>();
        rows.add(List.of("NAME", "STATE", "DONE", "TOTAL", "%", "RATE", "LEFT", "FAILED", "DEAD"));
        runs.forEach(run -> rows.add(List.of(
                OneLine.escape(run.name()),
                RunNumbers.state(run),
                Long.toString(run.done()),
                run.total().isPresent() ? Long.toString(run.total().getAsLong()) : "?",
                RunNumbers.percent(run),
                RunNumbers.rate(run.rowsPerSecond()),
                RunNumbers.eta(run),
                Long.toString(run.failed()),
                Long.toString(run.dead()))));
        return TextTable.of(rows);
    }

    /** The status, one fact a line, and the workers that are alive. The errors have the whole reason why a worker ended. */
    static List<String> status(RunStatus run, int mostWorkers) {
        String eta = RunNumbers.eta(run);
        List<String> lines = new ArrayList<>();
        lines.add("run       " + OneLine.message(run.name()));
        lines.add("state     " + OneLine.message(state(run)));
        lines.add("progress  " + RunNumbers.bar(run) + "  " + RunNumbers.percent(run) + "  " + RunNumbers.done(run));
        lines.add("rate      " + RunNumbers.rate(run.rowsPerSecond())
                + (eta.isEmpty() ? "" : ", left: " + (eta.equals("?") ? "not known" : "about " + eta)));
        lines.add("failed    " + RunNumbers.failures(run));
        lines.add("settings  " + settings(run));
        lines.add("started   " + Words.time(run.startedAt()));
        lines.addAll(workers(run, mostWorkers));
        return lines;
    }

    private static String state(RunStatus run) {
        return run.finishedAt()
                .map(end -> RunNumbers.state(run) + ", since " + Words.time(end))
                .orElseGet(() -> RunNumbers.state(run) + ", since " + Words.time(run.changedAt()) + " by "
                        + run.changedBy() + (run.reason().isBlank() ? "" : ": " + run.reason()));
    }

    private static String settings(RunStatus run) {
        List<String> settings = new ArrayList<>();
        settings.add("batch " + run.batch());
        settings.add(
                run.rowsPerSecondLimit() > 0
                        ? "at most " + number(run.rowsPerSecondLimit()) + " rows/s"
                        : "no rate limit");
        if (run.maxFailures() > 0) {
            settings.add("stops at " + run.maxFailures() + " failed attempts");
        }
        if (run.maxFailurePercent() > 0) {
            settings.add("stops at " + run.maxFailurePercent() + " % failed attempts");
        }
        return String.join(", ", settings);
    }

    private static String number(double value) {
        return value == Math.rint(value) ? Long.toString((long) value) : Double.toString(value);
    }

    private static List<String> workers(RunStatus run, int most) {
        List<RunWorkerInfo> alive =
                run.workers().stream().filter(RunWorkerInfo::alive).toList();
        List<String> lines = new ArrayList<>();
        run.workers().stream()
                .filter(worker -> worker.error().isPresent())
                .limit(most)
                .forEach(worker -> lines.add(LineLength.cut("ended     "
                        + OneLine.message(
                                worker.worker() + ": " + worker.error().get()))));
        if (!alive.isEmpty()) {
            List<List<String>> rows = new ArrayList<>();
            rows.add(List.of("WORKER", "DONE", "FAILED", "RATE", "SEEN", "IN HAND"));
            alive.stream().limit(most).forEach(worker -> rows.add(cells(run, worker)));
            lines.addAll(TextTable.lines(rows));
        }
        String more = alive.size() > most ? (alive.size() - most) + " more, " : "";
        lines.add(
                "workers   " + more + alive.size() + " alive, " + (run.workers().size() - alive.size()) + " gone");
        return lines;
    }

    private static List<String> cells(RunStatus run, RunWorkerInfo worker) {
        long ago = Math.max(0, Duration.between(worker.seenAt(), run.at()).toSeconds());
        return List.of(
                OneLine.escape(worker.worker()),
                Long.toString(worker.done()),
                Long.toString(worker.failed()),
                RunNumbers.rate(worker.rowsPerSecond()),
                ago + "s ago",
                OneLine.escape(worker.currentRow().orElse("-")));
    }

    /** The errors, one a line, with their stacks if wanted. */
    static List<String> errors(List<RunError> errors, boolean stack) {
        List<List<String>> rows = new ArrayList<>();
        rows.add(List.of("FAILED", "KEY", "ATTEMPT", "WORKER", "ERROR"));
        errors.forEach(error -> rows.add(List.of(
                Words.time(error.failedAt()),
                error.key().isEmpty() ? "-" : OneLine.escape(error.key()),
                Long.toString(error.attempt()),
                OneLine.escape(error.worker()),
                OneLine.message(error.errorClass() + (error.message().isEmpty() ? "" : ": " + error.message())))));
        List<String> table = TextTable.lines(rows);
        List<String> lines = new ArrayList<>();
        lines.add(table.get(0));
        for (int i = 0; i < errors.size(); i++) {
            lines.add(table.get(i + 1));
            if (stack) {
                stack(errors.get(i).stack()).forEach(lines::add);
            }
        }
        return lines;
    }

    private static Stream<String> stack(String text) {
        return text.lines().map(line -> INDENT + OneLine.escape(line.replace("\t", INDENT)));
    }

    static List<String> dead(List<DeadLetter> dead) {
        List<List<String>> rows = new ArrayList<>();
        rows.add(List.of("KEY", "ATTEMPTS", "LAST", "ERROR"));
        dead.forEach(row -> rows.add(List.of(
                OneLine.escape(row.key()),
                Long.toString(row.attempts()),
                Words.time(row.failedAt()),
                OneLine.message(row.message()))));
        return TextTable.lines(rows);
    }
}
