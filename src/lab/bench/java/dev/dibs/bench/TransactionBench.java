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

/** A transaction of one UPDATE: alone, with a lock of its own, and under a lease. */
final class TransactionBench {
    private static final String ALONE = "the transaction alone";
    private static final String ADVISORY = "with pg_try_advisory_xact_lock";
    private static final String LOCK = "lock.inTransaction";
    private static final String LEASE = "acquire, lease.inTransaction, close";

    private final Settings settings;
    private final Report report;
    private final Comparisons comparisons = new Comparisons();

    TransactionBench(Settings settings, Report report) {
        this.settings = settings;
        this.report = report;
    }

    void run() throws Exception {
        report.section("A transaction under a lock", """
                One UPDATE by primary key, in a transaction. Each thread has a name and a row of its own. The ratio is of
                times in the same round: the median of %d rounds, in brackets the middle half of them.
                """.formatted(settings.rounds()));
        TestDatabase postgres = TestDatabases.get(PostgresDatabase.class);
        on("PostgreSQL, fsync on", postgres, true, 1.67, 1.54);
        on("PostgreSQL, fsync off", PostgresDatabase.withoutFsync(), true, 2.5, 2.5);
        on("MariaDB", TestDatabases.get(MariaDbDatabase.class), false, 2.5, 2.5);
        on("H2", TestDatabases.get(H2Database.class), false, 2.5, 2.5);
        on("SQLite", TestDatabases.get(SqliteDatabase.class), false, 2.5, 2.5);
        comparisons.into(report, List.of("database", "threads"), "transaction");
    }

    private void on(String label, TestDatabase database, boolean hasAdvisory, double oneThread, double manyThreads)
            throws Exception {
        if (!database.available()) {
            return;
        }
        try (Ground ground = new Ground(database)) {
            for (int threads : List.of(1, Ground.THREADS)) {
                Rounds rounds = new Rounds(settings.rounds(), settings.slice(), threads)
                        .compare(ALONE, thread -> alone(ground, thread, false));
                if (hasAdvisory) {
                    rounds = rounds.compare(ADVISORY, thread -> alone(ground, thread, true));
                }
                List<Result> results = rounds.compare(LEASE, thread -> underLease(ground, thread))
                        .compare(LOCK, thread -> underLock(ground, thread))
                        .run();
                Result last = comparisons.add(List.of(label, String.valueOf(threads)), results);
                report.target(
                        LOCK + ", " + label + ", threads: " + threads, last, threads == 1 ? oneThread : manyThreads);
            }
        }
    }

    private static void work(Ground ground, Connection tx, int thread) throws SQLException {
        Sql.on(tx).change("UPDATE bare_lock SET fence = fence + 1 WHERE name = ?", ground.name(thread));
    }

    private static Operation alone(Ground ground, int thread, boolean advisory) {
        return () -> {
            try (Connection connection = ground.pool.getConnection()) {
                connection.setAutoCommit(false);
                if (advisory) {
                    boolean unused = Sql.on(connection).finds("SELECT pg_try_advisory_xact_lock(?)", (long) thread);
                }
                work(ground, connection, thread);
                connection.commit();
                connection.setAutoCommit(true);
            }
        };
    }

    private static Operation underLock(Ground ground, int thread) {
        NamedLock lock = ground.dibs.lock(ground.name(thread));
        return () -> lock.inTransaction(ground.pool, tx -> work(ground, tx, thread));
    }

    private static Operation underLease(Ground ground, int thread) {
        NamedLock lock = ground.dibs.lock(ground.name(thread));
        return () -> {
            try (Lease lease = lock.tryAcquire().orElseThrow()) {
                lease.inTransaction(ground.pool, tx -> work(ground, tx, thread));
            }
        };
    }
}
