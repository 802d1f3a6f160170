package dev.dibs.bench;

import dev.dibs.Dialect;
import dev.dibs.Dibs;
import dev.dibs.bench.Rounds.Result;
import dev.dibs.database.H2Database;
import dev.dibs.database.MariaDbDatabase;
import dev.dibs.database.PostgresDatabase;
import dev.dibs.database.TestDatabase;
import dev.dibs.database.TestDatabases;
import java.time.Duration;
import java.util.List;

/** Many threads that each acquire and release a lock of their own, beside what a user would otherwise take. */
final class ManyBench {

    private static final List<Integer> THREADS = List.of(1, 8, 64);
    private static final String UPDATES = "two bare UPDATEs";
    private static final String SHEDLOCK = "ShedLock";
    private static final String SPRING = "Spring Integration";
    private static final String ONE_BY_ONE = "Dibs, one by one";
    private static final String DIBS = "Dibs";

    private final Settings settings;
    private final Report report;
    private final Comparisons comparisons = new Comparisons();

    ManyBench(Settings settings, Report report) {
        this.settings = settings;
        this.report = report;
    }

    void run() throws Exception {
        report.section("Many locks at once", """
                Threads that acquire and release, each a lock of its own, through one pool of %d. Beside what a user would otherwise take: \
                ShedLock (provider for JdbcTemplate, by the database's time) and Spring Integration's JdbcLockRegistry, both as \
                their documentation has it. Where Spring Integration says that a lock is taken although nobody else asks for it, since the \
                database has rolled its transaction back, it is asked again at once. *One by one* is Dibs with a dialect that has no \
                statements for many.

                Up to 8 statements of an instance are under way at once. Who comes then goes together with the others who wait: \
                one statement, one round trip, one commit for up to 64 acquires, or releases.
                """.formatted(Ground.POOL));
        on("PostgreSQL, fsync on", TestDatabases.get(PostgresDatabase.class), "schema-postgresql.sql");
        on("PostgreSQL, fsync off", PostgresDatabase.withoutFsync(), "schema-postgresql.sql");
        on("MariaDB", TestDatabases.get(MariaDbDatabase.class), "schema-mysql.sql");
        on("H2", TestDatabases.get(H2Database.class), "schema-h2.sql");
        comparisons.into(report, List.of("database", "threads"), "operation");
    }

    private void on(String label, TestDatabase database, String schema) throws Exception {
        if (!database.available()) {
            return;
        }
        try (Ground ground = new Ground(database);
                Dibs single = Dibs.builder(ground.pool)
                        .lease(Duration.ofMinutes(5))
                        .dialect(
                                Dialect.at(Ground.oneByOne(ground.dibs.dialect().name())))
                        .build()) {
            LockPeers peers = new LockPeers(ground.pool, schema);
            for (int threads : THREADS) {
                List<Result> results = new Rounds(settings.rounds(), settings.slice(), threads)
                        .compare(UPDATES, ground::twoUpdates)
                        .compare(SHEDLOCK, peers::shedLock)
                        .compare(SPRING, peers::springIntegration)
                        .compare(ONE_BY_ONE, thread -> ground.acquireAndRelease(single, thread))
                        .compare(DIBS, ground::acquireAndRelease)
                        .run();
                comparisons.add(List.of(label, String.valueOf(threads)), results);
                System.out.println(label + ", " + threads + " threads");
                results.forEach(System.out::println);
            }
        }
    }
}
