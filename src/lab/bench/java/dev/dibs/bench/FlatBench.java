package dev.dibs.bench;

import com.zaxxer.hikari.HikariDataSource;
import dev.dibs.Dibs;
import dev.dibs.bench.Rounds.Result;
import dev.dibs.claims.Claim;
import dev.dibs.claims.RowClaims;
import dev.dibs.claims.RowKey;
import dev.dibs.database.H2Database;
import dev.dibs.database.MariaDbDatabase;
import dev.dibs.database.PostgresDatabase;
import dev.dibs.database.TestDatabase;
import dev.dibs.database.TestDatabases;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;

/** Whether a claim costs more if very many rows of the table are completed. */
final class FlatBench extends Measurement {
    private static final int FEW = 10_000;
    private static final int MANY = 1_000_000;
    private static final int VERY_MANY = 5_000_000;
    private static final int OPEN = 1_000;
    private static final int CLAIMED = 10;
    private static final double MOST = 1.2;

    private final Path plots;
    private final Plot plot = new Plot("A claim of ten rows and its release", "median, ms");

    FlatBench(Settings settings, Report report, Path plots) {
        super(settings, report);
        this.plots = plots;
    }

    void run() throws Exception {
        report.section(
                "Claims beside finished rows", """
                One thread claims %d rows and releases them. Each table has %,d open rows and the index that the doctor
                recommends. One has %,d finished rows, the other %,d; on PostgreSQL a third one has %,d. The ratio is of
                times in the same round: the median of %d rounds, in brackets the middle half of them.

                ![A claim of ten rows](flat.svg)
                """.formatted(CLAIMED, OPEN, FEW, MANY, VERY_MANY, settings.rounds()));
        on("PostgreSQL", TestDatabases.get(PostgresDatabase.class));
        on("H2", TestDatabases.get(H2Database.class));
        on("MariaDB", TestDatabases.get(MariaDbDatabase.class));
        report.table(List.of("database", "finished rows", "claims/s", "p50 ms", "p99 ms", "ratio"), rows);
        plot.write(plots.resolve("flat.svg"));
    }

    private void on(String name, TestDatabase database) throws Exception {
        if (!database.available()) {
            return;
        }
        try (HikariDataSource pool = database.pool(config -> config.setMaximumPoolSize(BenchDatabase.POOL));
                Dibs dibs =
                        Dibs.builder(pool).leaseLength(Duration.ofMinutes(1)).build()) {
            dibs.admin().createSchema();
            Rounds rounds = new Rounds(settings.rounds(), settings.slice(), 1);
            List<Integer> sizes =
                    database.name().equals("postgresql") ? List.of(FEW, MANY, VERY_MANY) : List.of(FEW, MANY);
            for (int done : sizes) {
                RowClaims<RowKey> claims = claims(database, pool, dibs, "bench_" + done, done);
                rounds.compare(String.format(Locale.ROOT, "%,d", done), thread -> () -> claim(claims));
            }
            List<Result> results = rounds.run();
            results.forEach(result -> add(name, result, result.equals(results.get(0))));
            for (Result result : results.subList(1, results.size())) {
                report.target("claim beside " + result.name() + " finished rows, " + name, result, MOST);
            }
        }
    }

    private static RowClaims<RowKey> claims(
            TestDatabase database, HikariDataSource pool, Dibs dibs, String name, int done) throws Exception {
        WorkTable table = new WorkTable(database.name(), pool, name);
        table.fill(done, OPEN);
        return table.claims(dibs).build();
    }

    private static void claim(RowClaims<RowKey> claims) {
        try (Claim<RowKey> claim = claims.claim(CLAIMED)) {
            if (claim.size() != CLAIMED) {
                throw new IllegalStateException("Not all were claimed; the figures would mean nothing");
            }
        }
    }

    private void add(String database, Result result, boolean base) {
        rows.add(List.of(
                database,
                result.name(),
                String.format(Locale.ROOT, "%,.0f", result.perSecond()),
                Report.number(result.p50()),
                Report.number(result.p99()),
                base
                        ? "1"
                        : "**" + Report.number(result.ratio()) + "** (" + Report.number(result.low()) + " to "
                                + Report.number(result.high()) + ")"));
        plot.bar(database, result.name() + " finished rows", result.p50());
    }
}
