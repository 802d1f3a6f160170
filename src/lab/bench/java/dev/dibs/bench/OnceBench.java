package dev.dibs.bench;

import static dev.dibs.bench.BenchDatabase.require;

import com.zaxxer.hikari.HikariDataSource;
import dev.dibs.Dibs;
import dev.dibs.bench.Rounds.Result;
import dev.dibs.database.CountingDataSource;
import dev.dibs.database.PostgresDatabase;
import dev.dibs.database.TestDatabase;
import dev.dibs.database.TestDatabases;
import dev.dibs.once.Once;
import dev.dibs.once.OnceOutcome;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;

/** The cost of a check of work that is done once a period: while it is known not to be due, and when the database must be asked. */
final class OnceBench extends Measurement {
    private static final Duration PERIOD = Duration.ofDays(30);
    private static final double MOST_NANOS = 200;

    /** So many in a row between two looks at the clock, which takes time, too. */
    private static final int BATCH = 1_000;

    private static final int ROUNDS = 31;
    private static final int ASKED = 200;

    OnceBench(Settings settings, Report report) {
        super(settings, report);
    }

    /** The median round, and the best and the worst quarter. */
    private record Nanos(double median, double low, double high) {}

    void run() throws Exception {
        TestDatabase database = TestDatabases.get(PostgresDatabase.class);
        report.section("Once a period", """
                A check is `dibs.once("page").every(Duration.ofDays(30)).tryRun(work)`, as a page view would call it.
                *Known not to be due* gives the time per check of one thread: the median of %d rounds of %d ms, in
                brackets the middle half of them. Statements are counted at the pool. *Not known* is the first check of
                a name in an instance, after another instance has done the work. It runs on PostgreSQL in turn with
                `SELECT 1` on the same pool; the ratio is of times in the same round.
                """.formatted(ROUNDS, settings.slice().toMillis()));
        try (HikariDataSource pool = database.pool(config -> config.setMaximumPoolSize(BenchDatabase.POOL))) {
            for (int threads : List.of(1, 4)) {
                known(pool, threads);
            }
        }
        try (BenchDatabase bench = new BenchDatabase(database)) {
            notKnown(bench);
        }
        report.table(List.of("check", "threads", "time", "statements per check", "beside SELECT 1"), rows);
    }

    private void known(HikariDataSource pool, int threads) throws Exception {
        CountingDataSource counting = new CountingDataSource(pool);
        try (Dibs dibs = Dibs.on(counting)) {
            dibs.admin().createSchema();
            check(dibs, "page");
            require(check(dibs, "page") == OnceOutcome.NOT_DUE);
            rounds(dibs, threads); // warms up
            counting.reset();
            Nanos nanos = rounds(dibs, threads);
            int statements = counting.statements().size();
            rows.add(List.of(
                    "known not to be due", String.valueOf(threads), text(nanos), String.valueOf(statements), ""));
            report.target(
                    "once, known not to be due, " + threads + " thread" + (threads == 1 ? "" : "s"),
                    text(nanos) + ", " + statements + " statements",
                    "under 200 ns, 0 statements",
                    nanos.median() < MOST_NANOS && statements == 0);
        }
    }

    private static String text(Nanos nanos) {
        return Report.number(nanos.median()) + " ns (" + Report.number(nanos.low()) + " to "
                + Report.number(nanos.high()) + ")";
    }

    private Nanos rounds(Dibs dibs, int threads) throws Exception {
        double[] times = new double[ROUNDS];
        ExecutorService pool = Executors.newFixedThreadPool(threads);
        try {
            for (int round = 0; round < ROUNDS; round++) {
                List<Callable<Double>> tasks = new ArrayList<>();
                for (int thread = 0; thread < threads; thread++) {
                    tasks.add(() -> perCheck(dibs, settings.slice().toNanos()));
                }
                for (Future<Double> time : pool.invokeAll(tasks)) {
                    times[round] += time.get() / threads;
                }
            }
        } finally {
            pool.shutdownNow();
        }
        Arrays.sort(times);
        return new Nanos(times[ROUNDS / 2], times[ROUNDS / 4], times[ROUNDS * 3 / 4]);
    }

    private static double perCheck(Dibs dibs, long nanos) {
        long start = System.nanoTime();
        long count = 0;
        long now = start;
        while (now - start < nanos) {
            for (int i = 0; i < BATCH; i++) {
                require(check(dibs, "page") == OnceOutcome.NOT_DUE);
            }
            count += BATCH;
            now = System.nanoTime();
        }
        return (double) (now - start) / count;
    }

    private static OnceOutcome check(Dibs dibs, String name) {
        return dibs.once(name).every(PERIOD).tryRun(lease -> {});
    }

    private void notKnown(BenchDatabase bench) throws Exception {
        CountingDataSource counting = new CountingDataSource(bench.pool);
        check(bench.dibs, "asked");
        try (Dibs counted = Dibs.on(counting);
                Dibs timed = Dibs.on(bench.pool)) {
            Operation ask = first(counted);
            ask.run();
            counting.reset();
            for (int i = 0; i < ASKED; i++) {
                ask.run();
            }
            double statements = (double) counting.statements().size() / ASKED;
            Operation asked = first(timed);
            List<Result> results = new Rounds(ROUNDS, settings.slice(), 1)
                    .compare("SELECT 1", thread -> bench.selectOne())
                    .compare("not known", thread -> asked)
                    .run();
            Result result = results.get(1);
            rows.add(List.of(
                    "not known",
                    "1",
                    String.format(Locale.ROOT, "%s ms", Report.number(result.p50())),
                    Report.number(statements),
                    Report.number(result.ratio()) + " (" + Report.number(result.low()) + " to "
                            + Report.number(result.high()) + ")"));
            report.target("once, not known, to SELECT 1", result, 1.5);
            report.headline("once, not known to be done, PostgreSQL", results);
            report.target("once, not known", Report.number(statements) + " statements", "1 statement", statements == 1);
        }
    }

    /** Each time with another period, for which nothing is remembered; the statement and the row are the same. */
    private static Operation first(Dibs dibs) {
        AtomicInteger number = new AtomicInteger();
        return () -> {
            Once once = dibs.once("asked").every(PERIOD.plusMillis(number.incrementAndGet()));
            require(once.tryRun(lease -> {}) == OnceOutcome.NOT_DUE);
        };
    }
}
