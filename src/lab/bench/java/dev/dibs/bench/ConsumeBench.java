package dev.dibs.bench;

import dev.dibs.bench.Rounds.Result;
import dev.dibs.database.H2Database;
import dev.dibs.database.MariaDbDatabase;
import dev.dibs.database.PostgresDatabase;
import dev.dibs.database.TestDatabase;
import dev.dibs.database.TestDatabases;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Many threads that each consume a token of their own, beside the usual alternatives. */
final class ConsumeBench extends Measurement {

    private static final List<Integer> THREADS = List.of(1, 8, 64);
    private static final String UPDATE = "bare UPDATE by key";
    private static final String SPRING = "Spring Security";
    private static final String DIBS = "Dibs";

    private final Comparisons comparisons = new Comparisons();

    ConsumeBench(Settings settings, Report report) {
        super(settings, report);
    }

    void run() throws Exception {
        report.section("Many tokens at once", """
                Threads use up tokens through one pool of %d, each a token that no other thread wants. The bare UPDATE
                is the one of the section on one-time tokens. Spring Security's JdbcOneTimeTokenService has a table of
                its own, as its documentation says: it reads the token, in clear, and deletes it, in two transactions.
                """.formatted(BenchDatabase.POOL));
        on("PostgreSQL, fsync on", TestDatabases.get(PostgresDatabase.class));
        on("PostgreSQL, fsync off", PostgresDatabase.withoutFsync());
        on("MariaDB", TestDatabases.get(MariaDbDatabase.class));
        on("H2", TestDatabases.get(H2Database.class));
        comparisons.into(report, List.of("database", "threads"), "operation");
    }

    private void on(String label, TestDatabase database) throws Exception {
        if (!database.available()) {
            return;
        }
        try (TokenRows bench = new TokenRows(database)) {
            TokenPeer peer = new TokenPeer(bench.pool());
            Map<Integer, List<Result>> all = new LinkedHashMap<>();
            for (int threads : THREADS) {
                List<Result> results = new Rounds(settings.rounds(), settings.slice(), threads)
                        .before(() -> {
                            bench.refill();
                            peer.refill();
                        })
                        .compare(UPDATE, thread -> bench.bareUpdate())
                        .compare(SPRING, thread -> peer.consume())
                        .compare(DIBS, thread -> bench.consume())
                        .run();
                comparisons.add(List.of(label, String.valueOf(threads)), results);
                System.out.println(label + ", " + threads + " threads");
                results.forEach(System.out::println);
                all.put(threads, results);
                if (threads == BenchDatabase.THREADS) {
                    report.headline(
                            "consume of %d threads, %s, a second".formatted(threads, label),
                            Comparisons.rates(results));
                }
            }
            Comparisons.ahead(report, "consume, " + label, all, List.of(SPRING));
        }
    }
}
