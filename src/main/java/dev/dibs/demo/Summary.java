package dev.dibs.demo;

import dev.dibs.demo.JarReport.Verdict;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** What the database says at the end; nothing here was remembered by anybody. */
final class Summary {

    private static final double THOUSAND = 1_000.0;
    private static final int MOST_SHOWN = 20;
    private static final String INDENT = " ".repeat(18);
    private static final String DETAIL = System.lineSeparator() + INDENT + "  ";

    private final Store store;
    private final List<String> lines = new ArrayList<>();

    private Summary(Store store) {
        this.store = store;
    }

    static List<String> of(Store store) throws SQLException {
        Summary summary = new Summary(store);
        summary.totals();
        summary.blemishes("corrupt", Verdict.CORRUPT);
        summary.blemishes("odd", Verdict.ODD);
        summary.blemishes("unreadable", Verdict.UNREADABLE);
        summary.list("takeovers", store.query("list_takeovers", Summary::takeover));
        summary.list("refused writes", store.query("list_refusals", Summary::refusal));
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

    private void totals() throws SQLException {
        long[] planned = store.query("sum_planned", row -> numbers(row, 2)).get(0);
        long[] done = store.query("sum_results", row -> numbers(row, 5)).get(0);
        boolean never =
                store.query("find_never_committed", row -> row.getString(1)).isEmpty();
        boolean again =
                store.query("find_committed_again", row -> row.getString(1)).isEmpty();
        long leftOut = store.query("count_left_out", row -> row.getLong(1)).get(0);
        add(
                "directories",
                planned[0]
                        + (never && again ? ", each committed exactly once" : "")
                        + (leftOut > 0 ? "; " + leftOut + " more were left out for lack of time" : ""));
        long gone = planned[1] - done[1];
        add("jars", done[1] + " with " + done[3] + " entries" + (gone > 0 ? "; " + gone + " have gone meanwhile" : ""));
        add("bytes", size(done[2]));
        add("SHA-1 compared", "for " + done[4] + " of the jars; the others have no sidecar");
    }

    private void blemishes(String title, Verdict verdict) throws SQLException {
        List<String> found = store.query(
                "list_blemishes",
                row -> row.getString(1) + "/" + row.getString(2) + DETAIL + row.getString(3),
                verdict.name());
        if (!found.isEmpty() || verdict == Verdict.CORRUPT) {
            list(title, found);
        }
    }

    private static String takeover(ResultSet row) throws SQLException {
        String kind = row.getString("kind");
        double since = (row.getLong("acquired_at") - row.getLong("struck_at")) / THOUSAND;
        String later = kind == null ? "" : String.format(Locale.ROOT, "%.2f s later, ", since);
        String committed = row.getString("committed_by");
        return row.getString("path") + DETAIL + row.getString("from_holder") + " was "
                + (kind == null ? "late" : kind)
                + "; " + row.getString("worker") + " took over " + later
                + String.format(Locale.ROOT, "%.2f s after the lease had ended", row.getLong("stale") / THOUSAND)
                + DETAIL + (committed == null ? "never committed" : "committed by " + committed);
    }

    private static String refusal(ResultSet row) throws SQLException {
        return row.getString("path") + DETAIL + "of " + row.getString("worker") + ": " + row.getString("reason");
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
