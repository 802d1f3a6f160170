package dev.dibs.bench;

import com.zaxxer.hikari.HikariDataSource;
import dev.dibs.Dibs;
import dev.dibs.claims.Claim;
import dev.dibs.claims.RowClaims;
import dev.dibs.claims.RowKey;
import dev.dibs.database.Sql;
import dev.dibs.database.TestDatabase;
import dev.dibs.database.TestDatabases;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Random;

/** How long it takes to find the one free row among keys whose rows all wait, as for a mail service that is down. */
final class WaitingBench extends Measurement {
    private static final Duration LEASE = Duration.ofSeconds(1);
    private static final Duration LONGEST = Duration.ofSeconds(60);
    private static final int ROUNDS = 7;

    WaitingBench(Settings settings, Report report) {
        super(settings, report);
    }

    void run() throws Exception {
        report.section("Claims per key beside waiting keys", """
                A table has one open row for each customer. All are postponed but one, and `perKey("customer", 1)` is in force
                with a lease of a second. One thread calls `claim(1)` until it has the free row, in %d rounds, each time with
                another one. The figures are those of the slowest round, and of the slowest call of all rounds.
                """.formatted(ROUNDS));
        for (TestDatabase database : TestDatabases.all()) {
            if (database.available()) {
                on(database);
            }
        }
        report.table(List.of("database", "waiting keys", "calls", "found after ms", "slowest call ms"), rows);
    }

    private void on(TestDatabase database) throws Exception {
        try (HikariDataSource pool = database.pool(config -> config.setMaximumPoolSize(BenchDatabase.POOL));
                Dibs dibs = Dibs.builder(pool).leaseLength(LEASE).build()) {
            dibs.admin().createSchema();
            int most = !settings.quick() && database.name().equals("postgresql") ? 6 : 5;
            for (int digits = 3; digits <= most; digits = digits == 3 ? 5 : digits + 1) {
                fill(database, pool, digits);
                measure(
                        database.name(),
                        pool,
                        PerKeyBench.claims(dibs, "bench_waiting", "")
                                .perKey("customer", 1)
                                .build(),
                        (int) Math.pow(10, digits));
            }
        }
    }

    private static void fill(TestDatabase database, HikariDataSource pool, int digits) throws SQLException {
        boolean filters = database.name().equals("postgresql");
        Sql.on(pool)
                .run(
                        "DROP TABLE IF EXISTS bench_waiting",
                        "CREATE TABLE bench_waiting (id bigint NOT NULL PRIMARY KEY, customer int NOT NULL,"
                                + " done_at bigint, request_token varchar(32), claimed_until bigint)",
                        "INSERT INTO bench_waiting (id, customer, request_token, claimed_until)"
                                + " SELECT n, n, 'dibs-later', 9000000000000 FROM " + PerKeyBench.numbers(digits),
                        filters
                                ? "CREATE INDEX bench_waiting_per_key ON bench_waiting (customer, id) WHERE done_at IS NULL"
                                : "CREATE INDEX bench_waiting_per_key ON bench_waiting (done_at, customer, id)",
                        "CREATE INDEX bench_waiting_token ON bench_waiting (request_token)",
                        filters ? "VACUUM ANALYZE bench_waiting" : database.analyze("bench_waiting"));
    }

    private void measure(String database, HikariDataSource pool, RowClaims<RowKey> claims, int keys)
            throws SQLException {
        Random random = new Random(keys);
        long slowestCall = 0;
        long slowestRound = 0;
        int mostCalls = 0;
        for (int round = 0; round < ROUNDS; round++) {
            int free = random.nextInt(keys);
            Sql.on(pool).run("UPDATE bench_waiting SET request_token = NULL, claimed_until = NULL WHERE id = " + free);
            long start = System.nanoTime();
            int calls = 0;
            boolean isFound = false;
            while (!isFound) {
                long sent = System.nanoTime();
                Claim<RowKey> claim = claims.claim(1);
                slowestCall = Math.max(slowestCall, System.nanoTime() - sent);
                calls++;
                isFound = !claim.isEmpty();
                claim.postpone(claim.keys(), Duration.ofDays(1));
                if (System.nanoTime() - start > LONGEST.toNanos()) {
                    throw new IllegalStateException("No claim has found the row");
                }
            }
            slowestRound = Math.max(slowestRound, System.nanoTime() - start);
            mostCalls = Math.max(mostCalls, calls);
        }
        List<String> row = List.of(
                database,
                String.valueOf(keys),
                String.valueOf(mostCalls),
                Report.number(slowestRound / 1e6),
                Report.number(slowestCall / 1e6));
        rows.add(row);
        System.out.println(row);
        report.target(
                "the slowest claim beside " + keys + " waiting keys, " + database,
                Report.number(slowestCall / 1e9) + " s",
                "at most 1 s",
                slowestCall < Duration.ofSeconds(1).toNanos());
    }
}
