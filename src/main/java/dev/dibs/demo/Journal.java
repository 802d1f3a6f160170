package dev.dibs.demo;

import dev.dibs.Lease;
import dev.dibs.Takeover;
import dev.dibs.demo.JarReport.Verdict;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;

/** What one worker reads and writes. */
final class Journal {

    private static final int LONGEST_TEXT = 500;
    private static final int LONGEST_NAME = 255;
    /** More than can be busy at the same time. */
    private static final int AT_ONCE = 8;

    private final Store store;
    private final String worker;
    /** All before this one are done. */
    private int oldest = 1;

    Journal(Store store, String worker) {
        this.store = store;
        this.worker = worker;
    }

    /** A directory without a result. */
    record Undone(int id, String path) {}

    /** Some of the first so many directories that have no result yet, oldest first. */
    List<Undone> undone(int first) throws SQLException {
        List<Undone> undone = store.queryFirst(
                "find_undone", AT_ONCE, row -> new Undone(row.getInt(1), row.getString(2)), oldest, first);
        oldest = undone.isEmpty() ? Math.max(oldest, first + 1) : undone.get(0).id();
        return undone;
    }

    boolean isDone(int directory) throws SQLException {
        return store.query("count_results", row -> row.getInt(1), directory).get(0) > 0;
    }

    void acquired(int directory, Lease lease, long at) throws SQLException {
        Takeover takeover = lease.takeover().orElse(null);
        store.update(
                "add_acquisition",
                directory,
                worker,
                lease.fence(),
                at,
                takeover == null ? null : takeover.from().holder(),
                takeover == null ? null : takeover.from().fence(),
                takeover == null ? null : takeover.stale().toMillis());
    }

    /** Part of the transaction that the lease guards. */
    void commit(Connection transaction, int directory, long fence, List<JarReport> reports) throws SQLException {
        store.update(
                transaction,
                "add_result",
                directory,
                worker,
                fence,
                (long) reports.size(),
                reports.stream().mapToLong(JarReport::bytes).sum(),
                reports.stream().mapToLong(JarReport::entries).sum(),
                reports.stream().filter(JarReport::compared).count(),
                System.currentTimeMillis());
        for (JarReport report : reports) {
            if (report.verdict() != Verdict.SOUND) {
                store.update(
                        transaction,
                        "add_blemish",
                        directory,
                        shortened(report.jar(), LONGEST_NAME),
                        report.verdict().name(),
                        shortened(report.detail(), LONGEST_TEXT));
            }
        }
    }

    /** Not guarded: it is the very thing that has to be told without the lease. */
    void refused(int directory, long fence, String reason) throws SQLException {
        store.update(
                "add_refusal", directory, worker, fence, System.currentTimeMillis(), shortened(reason, LONGEST_TEXT));
    }

    private static String shortened(String text, int longest) {
        return text.length() <= longest ? text : text.substring(0, longest);
    }
}
