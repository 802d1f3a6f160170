package dev.dibs.bench;

import dev.dibs.database.PostgresDatabase;
import dev.dibs.database.Sql;
import dev.dibs.database.TestDatabase;
import dev.dibs.database.TestDatabases;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** How slow frequent calls for one name get while an old snapshot keeps all versions of its row. */
record SnapshotBench(Report report) {

    private static final int SAMPLE = 500;
    private static final List<Integer> BEFORE = List.of(0, 1_000, 2_000, 5_000, 10_000, 18_000);

    void run() throws Exception {
        report.section("An old snapshot", """
                PostgreSQL. Another session keeps a snapshot (REPEATABLE READ). One thread acquires and releases the lock
                of one name, again and again; then two bare UPDATEs of a row do the same, under another snapshot. The
                figures are medians of %d pairs, after so many pairs under that snapshot.
                """.formatted(SAMPLE));
        TestDatabase database = TestDatabases.get(PostgresDatabase.class);
        if (!database.available()) {
            return;
        }
        List<List<String>> rows = new ArrayList<>();
        try (BenchDatabase bench = new BenchDatabase(database)) {
            rows.add(row("Dibs", bench, bench.acquireAndRelease(0)));
            rows.add(row("two bare UPDATEs", bench, bench.twoUpdates(0)));
        }
        List<String> head = new ArrayList<>(List.of("ms a pair, after so many pairs"));
        BEFORE.forEach(before -> head.add(String.format(Locale.ROOT, "%,d", before)));
        report.table(head, rows);
    }

    private static List<String> row(String name, BenchDatabase bench, Operation pair) throws Exception {
        for (int i = 0; i < 2 * SAMPLE; i++) {
            pair.run();
        }
        List<String> cells = new ArrayList<>(List.of(name));
        try (Connection old = bench.pool.getConnection()) {
            old.setAutoCommit(false);
            old.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
            Sql.on(old).number("SELECT count(*) FROM dibs_lock");
            int done = 0;
            for (int before : BEFORE) {
                for (; done < before; done++) {
                    pair.run();
                }
                Timings timings = new Timings();
                for (int i = 0; i < SAMPLE; i++, done++) {
                    long began = System.nanoTime();
                    pair.run();
                    timings.add(System.nanoTime() - began);
                }
                cells.add(Report.number(timings.quantile(0.5)));
            }
            old.rollback();
        }
        return cells;
    }
}
