package dev.dibs.bench;

import com.zaxxer.hikari.HikariDataSource;
import dev.dibs.Dibs;
import dev.dibs.claims.RowClaims;
import dev.dibs.claims.RowKey;
import dev.dibs.database.H2Database;
import dev.dibs.database.MariaDbDatabase;
import dev.dibs.database.PostgresDatabase;
import dev.dibs.database.TestDatabase;
import dev.dibs.database.TestDatabases;
import dev.dibs.runs.RunWorkers;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** How many rows a second a run processes if there is no work for a row, next to db-scheduler and a loop by hand. */
final class RunBench extends Measurement {
    private static final int THREADS = 4;
    /** More workers than processors gain nothing here, but must not cost much. */
    private static final List<Integer> WORKERS = List.of(1, 4, 16);

    private static final int USUAL_BATCH = 10;
    private static final int LARGE_BATCH = 100;
    private static final List<Integer> BATCHES = List.of(1, USUAL_BATCH, LARGE_BATCH);
    /** Slow contenders get fewer rows, by this factor, or they would take most of the time; quick ones get more. */
    private static final int PART = 5;

    /** What the project holds itself to: the loop by hand is as quick as this database and this machine can be. */
    private static final double LEAST = 0.95;

    private static final String PEER = "db-scheduler";
    private static final String FETCH = "db-scheduler, fetch";
    private static final String CLAIMS = "Dibs claims";
    private static final String DIBS = "Dibs run";
    private static final String RANGES = "Dibs run over ranges";
    private static final String BARE = "loop by hand";
    /** With four workers these take many turns; the peers, which are slow, take fewer. */
    private static final Set<String> JUDGED = Set.of(BARE, CLAIMS, DIBS);

    private static final String OLD = ", beside an old snapshot";

    private final Path plots;
    private final Plot plot = new Plot("Rows a second, four workers, PostgreSQL with fsync", "rows/s");
    private int runs;

    RunBench(Settings settings, Report report, Path plots) {
        super(settings, report);
        this.plots = plots;
    }

    private interface Contender {
        /** Returns the seconds that it takes. */
        double run(int rows, int batch, int workers) throws Exception;
    }

    void run() throws Exception {
        report.section("Runs", """
                A table of %,d rows, and work that does nothing. %d workers claim a batch, complete it together with the
                next claim, count it and read the run's switches. The time is from the start of the workers until all
                have ended. One HikariCP pool of %d; PostgreSQL with fsync, fillfactor 70 and the partial index that the
                doctor recommends.

                - *Dibs claims* is the same without a run: no count and no switches.
                - *Dibs run over ranges* does not write the rows.
                - *Loop by hand* completes and claims in one round trip, and does nothing else.
                - *db-scheduler* polls by lock-and-fetch, with %d threads too, and fetches up to a batch for each of
                  them. Its table has all indexes of its documentation. It removes each execution when it is done; the
                  time does not include its last removals. *Fetch* is its other way to poll, which picks each execution
                  by itself.
                - *Beside an old snapshot*: another transaction is open that began before. These, and every batch of 1,
                  get a fifth of the rows.
                - With a batch of 100 the loop and Dibs get five times as many rows, since a run takes some hundredths
                  of a second to start and to end.

                All take turns, %d rounds. Then the loop by hand, the claims and the run with four workers go on up to
                %d rounds. Rates are medians. The ratio is that of rates in the same round, its median and its range;
                above 1 is faster than db-scheduler. H2 and MariaDB: %,d rows.

                ![Rows a second](runs.svg)
                """.formatted(
                        settings.rows(),
                        THREADS,
                        BenchDatabase.POOL,
                        THREADS,
                        settings.runRounds(),
                        settings.rounds(),
                        settings.rows() / 5));
        onPostgres(TestDatabases.get(PostgresDatabase.class));
        onOther(TestDatabases.get(H2Database.class));
        onOther(TestDatabases.get(MariaDbDatabase.class));
        report.table(List.of("database", "workers", "batch", "what", "rows/s", "ratio"), rows);
        plot.write(plots.resolve("runs.svg"));
    }

    private void onPostgres(TestDatabase database) throws Exception {
        try (HikariDataSource pool = database.pool(config -> config.setMaximumPoolSize(BenchDatabase.POOL));
                Dibs dibs = dibs(pool)) {
            Map<String, Contender> contenders = contenders(database, pool, dibs);
            for (int batch : BATCHES) {
                Map<String, Contender> all = new LinkedHashMap<>(contenders);
                if (batch == LARGE_BATCH) {
                    List.of(PEER, FETCH).forEach(name -> all.put(name, withFewer(contenders.get(name))));
                }
                if (batch == USUAL_BATCH) {
                    for (String name : List.of(PEER, DIBS)) {
                        all.put(name + OLD, besideOldSnapshot(database, contenders.get(name)));
                    }
                }
                add("PostgreSQL", THREADS, batch, measure(all, rows(batch), batch, THREADS));
            }
            contenders.keySet().removeAll(List.of(FETCH, RANGES));
            for (int workers : WORKERS) {
                if (workers != THREADS) {
                    add("PostgreSQL", workers, USUAL_BATCH, measure(contenders, settings.rows(), USUAL_BATCH, workers));
                }
            }
        }
    }

    /** So many that each takes about a second. */
    private int rows(int batch) {
        return switch (batch) {
            case 1 -> settings.rows() / PART;
            case LARGE_BATCH -> settings.rows() * PART;
            default -> settings.rows();
        };
    }

    private static Contender withFewer(Contender contender) {
        return (n, batch, workers) -> contender.run(n / PART, batch, workers) * PART;
    }

    private Map<String, Contender> contenders(TestDatabase database, HikariDataSource pool, Dibs dibs)
            throws SQLException {
        Map<String, Contender> contenders = new LinkedHashMap<>();
        PostgresServer server = new PostgresServer(pool);
        contenders.put(PEER, scheduler(pool, server, SchedulerPeer.Polling.LOCK_AND_FETCH));
        contenders.put(FETCH, scheduler(pool, server, SchedulerPeer.Polling.FETCH));
        contenders.put(BARE, (n, batch, workers) -> {
            WorkTable table = table(database, pool, n);
            server.checkpoint();
            return new BareLoop(pool, table).run(workers, batch);
        });
        contenders.put(CLAIMS, (n, batch, workers) -> {
            WorkTable table = table(database, pool, n);
            server.checkpoint();
            return new ClaimLoop(table.claims(dibs).build()).run(workers, batch);
        });
        contenders.put(DIBS, (n, batch, workers) -> {
            WorkTable table = table(database, pool, n);
            server.checkpoint();
            return work(dibs, table.claims(dibs).build(), batch, workers);
        });
        contenders.put(RANGES, (n, batch, workers) -> {
            WorkTable table = table(database, pool, n);
            server.checkpoint();
            RowClaims<RowKey> ranges =
                    dibs.claims(table.name()).key("id").ranges("bench-" + runs).build();
            return work(dibs, ranges, batch, workers);
        });
        return contenders;
    }

    private static Contender scheduler(HikariDataSource pool, PostgresServer server, SchedulerPeer.Polling polling) {
        return (n, batch, workers) -> {
            SchedulerPeer peer = new SchedulerPeer(pool, workers, polling);
            peer.fill(n);
            server.checkpoint();
            return peer.run(n, batch);
        };
    }

    /** Another transaction that began before is reading, so that the database cannot remove old row versions. */
    private static Contender besideOldSnapshot(TestDatabase database, Contender contender) {
        return (n, batch, workers) -> {
            try (Connection reader = database.dataSource().getConnection();
                    Statement statement = reader.createStatement()) {
                reader.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
                reader.setAutoCommit(false);
                statement.execute("SELECT count(*) FROM pg_class");
                double seconds = contender.run(n / PART, batch, workers);
                reader.rollback();
                return seconds * PART;
            }
        };
    }

    private void onOther(TestDatabase database) throws Exception {
        if (!database.available()) {
            return;
        }
        try (HikariDataSource pool = database.pool(config -> config.setMaximumPoolSize(BenchDatabase.POOL));
                Dibs dibs = dibs(pool)) {
            Contender contender = (n, batch, workers) ->
                    work(dibs, table(database, pool, n).claims(dibs).build(), batch, workers);
            for (int batch : BATCHES) {
                add(
                        database.name(),
                        THREADS,
                        batch,
                        measure(Map.of(DIBS, contender), settings.rows() / 5, batch, THREADS));
            }
        }
    }

    private static Dibs dibs(HikariDataSource pool) {
        Dibs dibs = Dibs.builder(pool).leaseLength(Duration.ofMinutes(1)).build();
        dibs.admin().createSchema();
        return dibs;
    }

    private static WorkTable table(TestDatabase database, HikariDataSource pool, int rows) throws SQLException {
        WorkTable table = new WorkTable(database.name(), pool, "bench_jobs");
        table.fill(0, rows);
        return table;
    }

    private double work(Dibs dibs, RowClaims<RowKey> claims, int batch, int workers) throws InterruptedException {
        try (RunWorkers<RowKey> run = dibs.run("bench-" + runs++)
                .over(claims)
                .batch(batch)
                .threads(workers)
                .work(row -> {})) {
            long start = System.nanoTime();
            run.start();
            RunWorkers.End end = run.await();
            double seconds = (System.nanoTime() - start) / 1e9;
            if (end != RunWorkers.End.FINISHED
                    || run.run().status().orElseThrow().left().orElseThrow() != 0) {
                throw new IllegalStateException("The run did not finish; the figures would mean nothing");
            }
            return seconds;
        }
    }

    private Map<String, List<Double>> measure(Map<String, Contender> contenders, int n, int batch, int workers)
            throws Exception {
        Map<String, List<Double>> seconds = new LinkedHashMap<>();
        for (Map.Entry<String, Contender> contender : contenders.entrySet()) {
            double unused = contender.getValue().run(n / 10, batch, workers);
            seconds.put(contender.getKey(), new ArrayList<>());
        }
        boolean judged = workers == THREADS && contenders.containsKey(BARE);
        for (int round = 0; round < (judged ? settings.rounds() : settings.runRounds()); round++) {
            for (Map.Entry<String, Contender> contender : contenders.entrySet()) {
                if (round >= settings.runRounds() && !JUDGED.contains(contender.getKey())) {
                    continue;
                }
                seconds.get(contender.getKey()).add(contender.getValue().run(n, batch, workers) / n);
            }
        }
        return seconds;
    }

    private void add(String database, int workers, int batch, Map<String, List<Double>> times) {
        if (workers == THREADS && times.containsKey(PEER)) {
            List<Double> ratios = ratios(times.get(PEER), times.get(DIBS));
            report.headline(
                    "a run's rows a second, batch of %d, PostgreSQL with fsync".formatted(batch),
                    Report.number(median(ratios)) + " times db-scheduler's");
            if (median(ratios) < 1) {
                report.behind(PEER + ", a run with a batch of " + batch);
            }
        }
        times.forEach((name, seconds) -> {
            double rate = 1 / median(seconds);
            boolean compared = times.containsKey(PEER) && !name.equals(PEER);
            List<Double> ratios = compared ? ratios(times.get(PEER), seconds) : List.of(1.0);
            rows.add(List.of(
                    database,
                    String.valueOf(workers),
                    String.valueOf(batch),
                    name,
                    String.format(Locale.ROOT, "%,.0f", rate),
                    compared
                            ? "**" + Report.number(median(ratios)) + "** (" + range(ratios) + ")"
                            : times.size() > 1 ? "1" : ""));
            if (workers == THREADS && times.containsKey(PEER)) {
                plot.bar("batch of " + batch, name, Math.rint(rate));
                target(batch, name, times);
            }
        });
    }

    private void target(int batch, String name, Map<String, List<Double>> times) {
        if (name.equals(CLAIMS) || name.equals(DIBS)) {
            List<Double> ratios = ratios(times.get(BARE), times.get(name));
            report.target(
                    "%s, batch of %d, PostgreSQL, to the loop by hand".formatted(name, batch),
                    Report.number(median(ratios)) + "x (" + range(ratios) + ")",
                    "at least " + Report.number(LEAST) + "x",
                    median(ratios) >= LEAST);
        }
    }

    private static List<Double> ratios(List<Double> of, List<Double> by) {
        List<Double> ratios = new ArrayList<>();
        for (int i = 0; i < Math.min(of.size(), by.size()); i++) {
            ratios.add(of.get(i) / by.get(i));
        }
        return ratios;
    }

    private static String range(List<Double> values) {
        List<Double> sorted = values.stream().sorted().toList();
        return Report.number(sorted.get(0)) + " to " + Report.number(sorted.get(sorted.size() - 1));
    }

    private static double median(List<Double> values) {
        return values.stream().sorted().toList().get(values.size() / 2);
    }
}
