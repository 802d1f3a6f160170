package dev.dibs.bench;

import dev.dibs.bench.Rounds.Result;
import dev.dibs.database.H2Database;
import dev.dibs.database.MariaDbDatabase;
import dev.dibs.database.PostgresDatabase;
import dev.dibs.database.TestDatabase;
import dev.dibs.database.TestDatabases;
import java.util.List;

/** Issuing a token against a bare insert, consuming one against a bare update, all in the same table. */
final class TokenBench extends Measurement {
    private static final String INSERT = "bare INSERT";
    private static final String ISSUE = "issue";
    private static final String UPDATE = "bare UPDATE by key";
    private static final String CONSUME = "consume";
    private static final double MOST = 1.15;

    private final Comparisons comparisons = new Comparisons();

    TokenBench(Settings settings, Report report) {
        super(settings, report);
    }

    void run() throws Exception {
        report.section("One-time tokens", """
                All statements go to one table, `dibs_token` with its three indexes, through one HikariCP pool of %d
                with autocommit. Each operation borrows a connection, prepares, commits and gives the connection back.
                The bare INSERT fills the same columns with values of the program. The bare UPDATE is `UPDATE dibs_token
                SET ended = 'used', used_at = ?, owner = ?, attempt = ? WHERE purpose = ? AND digest = ?`, with
                `RETURNING subject, payload`. H2 has `FINAL TABLE` for that; on MariaDB a `SELECT subject, payload` by
                key follows.

                The bare UPDATE changes the columns that a consume changes. It is no way to use a token up: it does not
                check that the token is live, and it takes the program's clock. Both use up live tokens that were not
                used before; making these is not measured. The ratio is of times in the same round: the median of %d
                rounds, in brackets the middle half of them.
                """.formatted(BenchDatabase.POOL, settings.rounds()));
        on("PostgreSQL, fsync off", PostgresDatabase.withoutFsync());
        on("PostgreSQL, fsync on", TestDatabases.get(PostgresDatabase.class));
        on("H2", TestDatabases.get(H2Database.class));
        on("MariaDB", TestDatabases.get(MariaDbDatabase.class));
        comparisons.into(report, List.of("database", "threads"), "operation");
    }

    private void on(String name, TestDatabase database) throws Exception {
        if (!database.available()) {
            return;
        }
        try (TokenRows bench = new TokenRows(database)) {
            report.target("issue, " + name, issue(name, bench, 1), MOST);
            report.target("consume, " + name, consume(name, bench, 1), MOST);
            for (int threads : List.of(BenchDatabase.THREADS, BenchDatabase.MOST_THREADS)) {
                issue(name, bench, threads);
                consume(name, bench, threads);
            }
        }
    }

    private Result issue(String database, TokenRows bench, int threads) throws Exception {
        return comparisons.add(
                List.of(database, String.valueOf(threads)),
                new Rounds(settings.rounds(), settings.slice(), threads)
                        .compare(INSERT, thread -> bench.bareInsert())
                        .compare(ISSUE, thread -> bench.issue())
                        .run());
    }

    private Result consume(String database, TokenRows bench, int threads) throws Exception {
        List<Result> results = new Rounds(settings.rounds(), settings.slice(), threads)
                .before(bench::refill)
                .compare(UPDATE, thread -> bench.bareUpdate())
                .compare(CONSUME, thread -> bench.consume())
                .run();
        if (threads == BenchDatabase.THREADS) {
            report.headline(
                    "consume of %d threads, %s, a second".formatted(threads, database), Comparisons.rates(results));
        }
        return comparisons.add(List.of(database, String.valueOf(threads)), results);
    }
}
