package dev.dibs.demo;

import dev.dibs.demo.FileReport.Verdict;
import dev.dibs.runs.DeadLetter;
import dev.dibs.runs.Run;
import dev.dibs.runs.RunStatus;
import dev.dibs.text.RunNumbers;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** The results as the database has them at the end; no process has remembered any of them. */
final class Summary {

    private static final double THOUSAND = 1_000.0;
    private static final int MOST_SHOWN = 20;
    private static final String INDENT = " ".repeat(18);
    private static final String DETAIL = System.lineSeparator() + INDENT + "  ";

    private final Store store;
    private final Run run;
    private final List<String> lines = new ArrayList<>();

    private Summary(Store store, Run run) {
        this.store = store;
        this.run = run;
    }

    static List<String> of(Store store, Run run) throws SQLException {
        Summary summary = new Summary(store, run);
        summary.rows();
        summary.read();
        Optional<RunStatus> status = run.status();
        if (status.isPresent()) {
            summary.dead(status.get());
        }
        summary.blemishes("odd", Verdict.ODD);
        summary.blemishes("unreadable", Verdict.UNREADABLE);
        summary.list("struck workers", summary.store.query("list_faults", Summary::fault));
        summary.list("pauses", summary.store.query("list_breaks", Summary::pause));
        summary.report();
        summary.gate();
        return summary.lines;
    }

    /** A number of bytes for people. */
    static String size(long bytes) {
        if (bytes < 1e6) {
            return String.format(Locale.ROOT, "%.0f kB", bytes / 1e3);
        }
        return bytes < 1e9
                ? String.format(Locale.ROOT, "%.0f MB", bytes / 1e6)
                : String.format(Locale.ROOT, "%.2f GB", bytes / 1e9);
    }

    private void rows() throws SQLException {
        long[] files = store.query("count_files", row -> numbers(row, 4)).get(0);
        long results = store.query("sum_results", row -> row.getLong(1)).get(0);
        boolean once = results == files[0]
                && store.query("find_done_again", row -> row.getString(1)).isEmpty()
                && store.query("find_half_done", row -> row.getString(1)).isEmpty();
        add(
                "rows",
                files[0] + " done" + (once ? ", each exactly once" : ", with " + results + " results") + "; " + files[2]
                        + " dead; " + files[3] + " lost"
                        + (files[1] > 0 ? "; " + files[1] + " left out for lack of time" : ""));
        add("by", String.join(", ", store.query("count_by_worker", Summary::share)));
    }

    private void read() throws SQLException {
        long[] sums = store.query("sum_results", row -> numbers(row, 4)).get(0);
        add("read", size(sums[1]) + "; the CRC of " + sums[2] + " entries in archives compared");
        add("SHA-1", "of every file; " + sums[3] + " compared with the .sha1 beside the file");
    }

    private void dead(RunStatus status) throws SQLException {
        add("failed attempts", Long.toString(status.failed()));
        List<String> dead = new ArrayList<>();
        for (DeadLetter row : run.dead(Run.LONGEST_LIST)) {
            String path = store.query("find_path", found -> found.getString(1), Long.valueOf(row.key()))
                    .get(0);
            dead.add(path + DETAIL + "given up after " + row.attempts() + " attempts: " + row.message());
        }
        list("dead rows", dead);
    }

    private void blemishes(String title, Verdict verdict) throws SQLException {
        List<String> found =
                store.query("list_blemishes", row -> row.getString(1) + DETAIL + row.getString(2), verdict.name());
        if (!found.isEmpty()) {
            list(title, found);
        }
    }

    private static String fault(ResultSet row) throws SQLException {
        String by = row.getString("done_by");
        String later = seconds(row.getLong("written_at") - row.getLong("struck_at"));
        return row.getString("worker") + " was " + row.getString("kind") + " with " + row.getString("path")
                + DETAIL
                + (by == null ? "never done by anybody" : "taken over: done by " + by + ", " + later + " later")
                + (row.getInt("tried_late") > 0 ? "; its own late result was rolled back" : "");
    }

    private static String pause(ResultSet row) throws SQLException {
        return "nothing was done for " + seconds(row.getLong("resumed_at") - row.getLong("still_at")) + ": "
                + row.getString("reason");
    }

    private void report() throws SQLException {
        List<String> writers = store.query("count_reports", row -> row.getLong(2) + " times by " + row.getString(1));
        add("report", writers.isEmpty() ? "never written" : "written " + String.join(", ", writers));
        list("refused reports", store.query("list_refusals", row -> row.getString(1) + DETAIL + row.getString(2)));
    }

    /** Shows the result for a deployment that needs the run to be finished. */
    private void gate() {
        if (run.status().isPresent() && run.isFinished(store.sql().prefix() + "file", Job.OPEN)) {
            add("ensure-finished", "lets a deployment go on");
        } else {
            add(
                    "ensure-finished",
                    "would stop a deployment:" + DETAIL
                            + run.status().map(RunNumbers::line).orElse("the run was never started"));
        }
    }

    private static String share(ResultSet row) throws SQLException {
        return row.getString(1) + ": " + row.getLong(2);
    }

    private static String seconds(long millis) {
        return String.format(Locale.ROOT, "%.1f s", millis / THOUSAND);
    }

    private void list(String title, List<String> found) {
        add(title, found.isEmpty() ? "none" : Integer.toString(found.size()));
        found.stream().limit(MOST_SHOWN).forEach(line -> lines.add(INDENT + line));
        if (found.size() > MOST_SHOWN) {
            lines.add(INDENT + "and " + (found.size() - MOST_SHOWN) + " more");
        }
    }

    private void add(String title, String text) {
        lines.add(String.format(Locale.ROOT, "  %-16s%s", title, text));
    }

    private static long[] numbers(ResultSet row, int count) throws SQLException {
        long[] numbers = new long[count];
        for (int i = 0; i < count; i++) {
            numbers[i] = row.getLong(i + 1);
        }
        return numbers;
    }
}
