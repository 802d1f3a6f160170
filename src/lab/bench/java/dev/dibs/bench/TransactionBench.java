package dev.dibs.bench;

import dev.dibs.Lease;
import dev.dibs.NamedLock;
import dev.dibs.bench.Rounds.Result;
import dev.dibs.database.H2Database;
import dev.dibs.database.MariaDbDatabase;
import dev.dibs.database.PostgresDatabase;
import dev.dibs.database.Sql;
import dev.dibs.database.SqliteDatabase;
import dev.dibs.database.TestDatabase;
import dev.dibs.database.TestDatabases;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;

/** A transaction of one UPDATE: alone, with a lock of its own, and under a lease. */
final class TransactionBench extends Measurement {
    private static final String ALONE = "the transaction alone";
    private static final String ADVISORY = "with pg_try_advisory_xact_lock";
    private static final String LOCK = "lock.inTransaction";
    private static final String LEASE = "acquire, lease.inTransaction, close";

    private final Comparisons comparisons = new Comparisons();

    TransactionBench(Settings settings, Report report) {
        super(settings, report);
    }

    void run() throws Exception {
        report.section("A transaction under a lock", """
                One UPDATE by primary key, in a transaction. Each thread has a name and a row of its own. The ratio is of
                times in the same round: the median of %d rounds, in brackets the middle half of them.
                """.formatted(settings.rounds()));
        on(
                "PostgreSQL, fsync on",
                TestDatabases.get(PostgresDatabase.class),
                true,
                Map.of(1, 1.67, BenchDatabase.THREADS, 1.54));
        on("PostgreSQL, fsync off", PostgresDatabase.withoutFsync(), true, Map.of());
        on("MariaDB", TestDatabases.get(MariaDbDatabase.class), false, Map.of());
        on("H2", TestDatabases.get(H2Database.class), false, Map.of());
        on("SQLite", TestDatabases.get(SqliteDatabase.class), false, Map.of());
        comparisons.into(report, List.of("database", "threads"), "transaction");
    }

    /**
     * Measures on one database.
     *
     * @param limits what the lock may cost at most, as times of the transaction alone, by the number of threads
     */
    private void on(String label, TestDatabase database, boolean hasAdvisory, Map<Integer, Double> limits)
            throws Exception {
        if (!database.available()) {
            return;
        }
        try (BenchDatabase bench = new BenchDatabase(database)) {
            for (int threads : List.of(1, BenchDatabase.THREADS)) {
                Rounds rounds = new Rounds(settings.rounds(), settings.slice(), threads)
                        .compare(ALONE, thread -> alone(bench, thread, false));
                if (hasAdvisory) {
                    rounds = rounds.compare(ADVISORY, thread -> alone(bench, thread, true));
                }
                List<Result> results = rounds.compare(LEASE, thread -> underLease(bench, thread))
                        .compare(LOCK, thread -> underLock(bench, thread))
                        .run();
                Result lock = comparisons.add(List.of(label, String.valueOf(threads)), results);
                if (limits.containsKey(threads)) {
                    String where = LOCK + ", " + label + ", threads: " + threads;
                    double gain = results.get(results.size() - 2).ratio() / lock.ratio();
                    report.target(where, lock, limits.get(threads));
                    report.target(where + ", to " + LEASE, Report.number(gain) + "x", "at least 2x", gain >= 2);
                }
            }
        }
    }

    private static void work(BenchDatabase bench, Connection tx, int thread) throws SQLException {
        Sql.on(tx).change("UPDATE bare_lock SET fence = fence + 1 WHERE name = ?", bench.name(thread));
    }

    private static Operation alone(BenchDatabase bench, int thread, boolean advisory) {
        return () -> {
            try (Connection connection = bench.pool.getConnection()) {
                connection.setAutoCommit(false);
                if (advisory) {
                    boolean unused = Sql.on(connection).finds("SELECT pg_try_advisory_xact_lock(?)", (long) thread);
                }
                work(bench, connection, thread);
                connection.commit();
                connection.setAutoCommit(true);
            }
        };
    }

    private static Operation underLock(BenchDatabase bench, int thread) {
        NamedLock lock = bench.dibs.lock(bench.name(thread));
        return () -> lock.inTransaction(bench.pool, tx -> work(bench, tx, thread));
    }

    private static Operation underLease(BenchDatabase bench, int thread) {
        NamedLock lock = bench.dibs.lock(bench.name(thread));
        return () -> {
            try (Lease lease = lock.tryAcquire().orElseThrow()) {
                lease.inTransaction(bench.pool, tx -> work(bench, tx, thread));
            }
        };
    }
}
