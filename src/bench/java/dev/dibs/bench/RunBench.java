package dev.dibs.bench;

import com.zaxxer.hikari.HikariDataSource;
import dev.dibs.Dibs;
import dev.dibs.database.H2Database;
import dev.dibs.database.MariaDbDatabase;
import dev.dibs.database.PostgresDatabase;
import dev.dibs.database.TestDatabase;
import dev.dibs.database.TestDatabases;
import dev.dibs.rows.RowClaims;
import dev.dibs.rows.RowKey;
import dev.dibs.rows.RunWorkers;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** How many rows a second a run does if there is nothing to do with a row, next to db-scheduler and to a loop by hand. */
final class RunBench {
    private static final int THREADS = 4;
    private static final List<Integer> BATCHES = List.of(1, 10, 100);
    /** What the project holds itself to, as times of db-scheduler's rate, for each batch. */
    private static final Map<Integer, Double> LEAST = Map.of(1, 1.0, 10, 3.0, 100, 8.0);

    private static final String PEER = "db-scheduler";
    private static final String DIBS = "Dibs run";
    private static final String RANGES = "Dibs run over ranges";
    private static final String BARE = "loop by hand";

    private final Settings settings;
    private final Report report;
    private final Path plots;
    private final List<List<String>> rows = new ArrayList<>();
    private final Plot plot = new Plot("Rows a second, four workers, PostgreSQL with fsync", "rows/s");
    private int runs;

    RunBench(Settings settings, Report report, Path plots) {
        this.settings = settings;
        this.report = report;
        this.plots = plots;
    }

    /** Seconds in each round, by batch and contender. */
    private static final class Times {
        private final Map<Integer, Map<String, List<Double>>> times = new LinkedHashMap<>();

        void add(int batch, String name, double seconds) {
            times.computeIfAbsent(batch, b -> new LinkedHashMap<>())
                    .computeIfAbsent(name, n -> new ArrayList<>())
                    .add(seconds);
        }
    }

    private interface Contender {
        /** Returns the seconds that it takes. */
        double run(int rows, int batch) throws Exception;
    }

    void run() throws Exception {
        report.section("Runs", """
                A table of %,d rows and work that does nothing: %d workers claim a batch, complete it together with the next \
                claim, count it and read the run's switches. Timed from the start of the workers until all of them have \
                ended. One HikariCP pool of %d; PostgreSQL with fsync, fillfactor 70 and the partial index that the \
                doctor recommends. db-scheduler polls by lock-and-fetch, with %d threads too, fetches up to a batch for \
                each of them, has its own table with all indexes of its documentation, and removes each execution when it is \
                done; its last removals are not waited for. The loop by hand completes and claims in one round trip, \
                without anything else. A run over ranges does not write the rows. All take turns, %d rounds; rates are medians, and the ratio is that of rates in the \
                same round (above 1 is faster than db-scheduler), its median and its range. H2 and MariaDB: %,d rows.

                ![Rows a second](runs.svg)
                """.formatted(
                        settings.rows(), THREADS, Ground.POOL, THREADS, settings.longRounds(), settings.rows() / 5));
        onPostgres(TestDatabases.get(PostgresDatabase.class));
        onOther(TestDatabases.get(H2Database.class));
        onOther(TestDatabases.get(MariaDbDatabase.class));
        report.table(List.of("database", "batch", "what", "rows/s", "ratio"), rows);
        plot.write(plots.resolve("runs.svg"));
    }

    private void onPostgres(TestDatabase database) throws Exception {
        try (HikariDataSource pool = database.pool(config -> config.setMaximumPoolSize(Ground.POOL));
                Dibs dibs = dibs(pool)) {
            Map<String, Contender> contenders = new LinkedHashMap<>();
            PostgresServer server = new PostgresServer(pool);
            contenders.put(PEER, (n, batch) -> {
                SchedulerPeer peer = new SchedulerPeer(pool, THREADS);
                peer.fill(n);
                server.checkpoint();
                return peer.run(n, batch);
            });
            contenders.put(BARE, (n, batch) -> {
                WorkTable table = table(database, pool, n);
                server.checkpoint();
                return new BareLoop(pool, table).run(THREADS, batch);
            });
            contenders.put(DIBS, (n, batch) -> {
                WorkTable table = table(database, pool, n);
                server.checkpoint();
                return work(dibs, table.claims(dibs).build(), batch);
            });
            contenders.put(RANGES, (n, batch) -> {
                WorkTable table = table(database, pool, n);
                server.checkpoint();
                return work(
                        dibs,
                        dibs.claims(table.name())
                                .key("id")
                                .ranges("bench-" + runs)
                                .build(),
                        batch);
            });
            add("PostgreSQL", measure(contenders, settings.rows()));
        }
    }

    private void onOther(TestDatabase database) throws Exception {
        if (!database.available()) {
            return;
        }
        try (HikariDataSource pool = database.pool(config -> config.setMaximumPoolSize(Ground.POOL));
                Dibs dibs = dibs(pool)) {
            Contender contender = (n, batch) ->
                    work(dibs, table(database, pool, n).claims(dibs).build(), batch);
            add(database.name(), measure(Map.of(DIBS, contender), settings.rows() / 5));
        }
    }

    private static Dibs dibs(HikariDataSource pool) {
        Dibs dibs = Dibs.builder(pool).lease(Duration.ofMinutes(1)).build();
        dibs.createSchema();
        return dibs;
    }

    private static WorkTable table(TestDatabase database, HikariDataSource pool, int rows) throws SQLException {
        WorkTable table = new WorkTable(database.name(), pool, "bench_jobs");
        table.fill(0, rows);
        return table;
    }

    private double work(Dibs dibs, RowClaims<RowKey> claims, int batch) throws InterruptedException {
        try (RunWorkers<RowKey> workers = dibs.run("bench-" + runs++)
                .over(claims)
                .batch(batch)
                .threads(THREADS)
                .work(row -> {})) {
            long start = System.nanoTime();
            workers.start();
            RunWorkers.End end = workers.await();
            double seconds = (System.nanoTime() - start) / 1e9;
            if (end != RunWorkers.End.FINISHED
                    || workers.run().status().orElseThrow().left().orElseThrow() != 0) {
                throw new IllegalStateException("The run did not finish; the figures would mean nothing");
            }
            return seconds;
        }
    }

    private Times measure(Map<String, Contender> contenders, int n) throws Exception {
        Times times = new Times();
        for (Contender contender : contenders.values()) {
            for (int batch : BATCHES) {
                double unused = contender.run(n / 10, batch);
            }
        }
        for (int round = 0; round < settings.longRounds(); round++) {
            for (int batch : BATCHES) {
                for (Map.Entry<String, Contender> contender : contenders.entrySet()) {
                    times.add(batch, contender.getKey(), contender.getValue().run(n, batch) / n);
                }
            }
        }
        return times;
    }

    private void add(String database, Times times) {
        times.times.forEach((batch, names) -> names.forEach((name, seconds) -> {
            double rate = 1 / median(seconds);
            boolean compared = names.containsKey(PEER) && !name.equals(PEER);
            List<Double> ratios = compared ? ratios(names.get(PEER), seconds) : List.of(1.0);
            rows.add(List.of(
                    database,
                    String.valueOf(batch),
                    name,
                    String.format(Locale.ROOT, "%,.0f", rate),
                    compared
                            ? "**" + Report.number(median(ratios)) + "** (" + range(ratios) + ")"
                            : names.size() > 1 ? "1" : ""));
            if (names.containsKey(PEER)) {
                plot.bar("batch of " + batch, name, Math.rint(rate));
            }
            if (compared && name.equals(DIBS)) {
                double least = LEAST.get(batch);
                report.target(
                        "run of %,d rows, batch of %d, PostgreSQL, to db-scheduler".formatted(settings.rows(), batch),
                        Report.number(median(ratios)) + "x (" + range(ratios) + ")",
                        "at least " + Report.number(least) + "x",
                        median(ratios) >= least);
            }
        }));
    }

    private static List<Double> ratios(List<Double> of, List<Double> by) {
        List<Double> ratios = new ArrayList<>();
        for (int i = 0; i < of.size(); i++) {
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
