package dev.dibs.bench;

import dev.dibs.NamedLock;
import dev.dibs.database.PostgresDatabase;
import dev.dibs.database.Sql;
import dev.dibs.database.TestDatabase;
import dev.dibs.database.TestDatabases;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;

/** Many callers over a pool with few connections: a transaction of Dibs has the lock, or one of the caller's own. */
final class SmallPoolBench extends Measurement {

    private static final int CALLERS = 200;
    private static final int NAMES = 20;
    private static final Duration WAIT = Duration.ofMinutes(5);
    private static final String LOCK = "lock.inTransaction";
    private static final String OWN = "awaitFree, begin, tryGuard, commit";

    private final Comparisons comparisons = new Comparisons();

    SmallPoolBench(Settings settings, Report report) {
        super(settings, report);
    }

    void run() throws Exception {
        report.section(
                "Many callers over a small pool", """
                %d threads with %d names, a pool of %d. One UPDATE by primary key, in a transaction that has the lock. All
                wait until they have it. The ratio is of times in the same round: the median of %d rounds, in brackets
                the middle half of them.
                """.formatted(CALLERS, NAMES, BenchDatabase.POOL, settings.rounds()));
        on("PostgreSQL, fsync on", TestDatabases.get(PostgresDatabase.class));
        on("PostgreSQL, fsync off", PostgresDatabase.withoutFsync());
        comparisons.into(report, List.of("database"), "transaction");
    }

    private void on(String label, TestDatabase database) throws Exception {
        try (BenchDatabase bench = new BenchDatabase(database)) {
            // With a tenth of a second, the last callers of a slice would dominate it.
            var results = new Rounds(settings.rounds(), settings.slice().multipliedBy(10), CALLERS)
                    .compare(LOCK, thread -> byDibs(bench, thread % NAMES))
                    .compare(OWN, thread -> byCaller(bench, thread % NAMES))
                    .run();
            comparisons.add(List.of(label), results);
            results.forEach(System.out::println);
        }
    }

    private static void work(BenchDatabase bench, Connection tx, int name) throws SQLException {
        Sql.on(tx).change("UPDATE bare_lock SET fence = fence + 1 WHERE name = ?", bench.name(name));
    }

    private static Operation byDibs(BenchDatabase bench, int name) {
        NamedLock lock = bench.dibs.lock("small-" + bench.name(name));
        return () -> lock.inTransaction(bench.pool, WAIT, tx -> work(bench, tx, name));
    }

    private static Operation byCaller(BenchDatabase bench, int name) {
        NamedLock lock = bench.dibs.lock("own-" + bench.name(name));
        return () -> {
            boolean done = false;
            while (!done) {
                BenchDatabase.require(lock.awaitFree(WAIT));
                try (Connection tx = bench.pool.getConnection()) {
                    tx.setAutoCommit(false);
                    done = lock.tryGuard(tx);
                    if (done) {
                        work(bench, tx, name);
                        tx.commit();
                    } else {
                        tx.rollback();
                    }
                    tx.setAutoCommit(true);
                }
            }
        };
    }
}
