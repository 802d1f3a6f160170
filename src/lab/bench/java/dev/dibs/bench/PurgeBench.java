package dev.dibs.bench;

import dev.dibs.database.ErrorLog;
import dev.dibs.database.PostgresDatabase;
import dev.dibs.database.TestDatabases;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;

/** How long token consumers wait while very many other tokens are purged. */
final class PurgeBench extends Measurement {
    private static final int CONSUMERS = 4;
    private static final double MOST = 3;

    private final Path plots;
    private final Plot plot = new Plot("The slowest of a hundred consumers, PostgreSQL with fsync", "p99, ms");

    PurgeBench(Settings settings, Report report, Path plots) {
        super(settings, report);
        this.plots = plots;
    }

    private interface Consuming {
        void consume(String token) throws Exception;
    }

    /** A way to purge, and the way to consume tokens that goes with it. */
    private record Design(String name, Consuming consuming, Callable<Long> purging) {}

    void run() throws Exception {
        report.section("Purging tokens", """
                PostgreSQL with fsync, a table of %,d tokens that expired long ago. %d threads issue a token and use it
                up, again and again. The table shows the time of the use: first for %d s without a purge, then until all
                expired tokens are gone. The background purge pauses after each batch for as long as the batch took.

                For comparison a single DELETE does the same, once without and once under a lock. There the purge is the
                only holder, and each consumer takes a share of the lock in its transaction. So all consumers wait for
                the whole purge. Rounds: %d. The ratio is of the p99 in the same round, its median and its range.

                ![The slowest of a hundred consumers](purge.svg)
                """.formatted(
                        settings.expired(), CONSUMERS, settings.quiet().toSeconds(), settings.longRounds()));
        try (PurgeRows bench = new PurgeRows()) {
            List<Design> designs = List.of(
                    new Design("purge()", bench::consume, () -> bench.purgeOn(1)),
                    new Design("purge() on 2 nodes", bench::consume, () -> bench.purgeOn(2)),
                    new Design("purge() on 4 nodes", bench::consume, () -> bench.purgeOn(4)),
                    new Design("in the background", bench::consume, bench::purgeInBackground),
                    new Design("one DELETE", bench::consume, bench::delete),
                    new Design("one DELETE under a lock", bench::consumeUnderLock, bench::deleteUnderLock));
            ErrorLog log = TestDatabases.get(PostgresDatabase.class).errorLog();
            for (Design design : designs) {
                Outcome unused = measure(bench, design, settings.expired() / 50);
            }
            List<List<Outcome>> outcomes = new ArrayList<>();
            designs.forEach(design -> outcomes.add(new ArrayList<>()));
            for (int round = 0; round < settings.longRounds(); round++) {
                for (int i = 0; i < designs.size(); i++) {
                    outcomes.get(i).add(measure(bench, designs.get(i), settings.expired()));
                }
            }
            for (int i = 0; i < designs.size(); i++) {
                add(designs.get(i).name(), outcomes.get(i));
            }
            List<String> deadlocks = log.entries().stream()
                    .filter(entry -> entry.contains("deadlock"))
                    .toList();
            report.target("deadlocks in the server's log", deadlocks.size() + "", "0", deadlocks.isEmpty());
        }
        report.table(
                List.of(
                        "purged by",
                        "took s",
                        "without: p50 ms",
                        "p99 ms",
                        "longest ms",
                        "meanwhile: p50 ms",
                        "p99 ms",
                        "longest ms",
                        "ratio of p99"),
                rows);
        plot.write(plots.resolve("purge.svg"));
    }

    /** The result of one round of one design. */
    private record Outcome(double seconds, Timings without, Timings meanwhile) {
        double ratio() {
            return meanwhile.quantile(0.99) / without.quantile(0.99);
        }
    }

    private Outcome measure(PurgeRows bench, Design design, long expired) throws Exception {
        bench.fill(expired);
        Timings without = new Timings();
        double quiet = consumeDuring(bench, design, without, () -> {
            Thread.sleep(settings.quiet().toMillis());
            return 0L;
        });
        Timings meanwhile = new Timings();
        List<Long> purged = new ArrayList<>();
        double seconds = consumeDuring(
                bench, design, meanwhile, () -> purged.add(design.purging().call()) ? 0L : 1L);
        if (quiet <= 0 || purged.get(0) != expired || bench.count() != 0) {
            throw new IllegalStateException(purged + " of " + expired + " were purged; the figures would mean nothing");
        }
        return new Outcome(seconds, without, meanwhile);
    }

    /** Returns the seconds that it took. */
    private static double consumeDuring(PurgeRows bench, Design design, Timings timings, Callable<Long> work)
            throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(CONSUMERS);
        AtomicBoolean over = new AtomicBoolean();
        try {
            List<Future<Timings>> consumers = new ArrayList<>();
            for (int i = 0; i < CONSUMERS; i++) {
                consumers.add(threads.submit(() -> consumeUntil(over, bench, design.consuming())));
            }
            long start = System.nanoTime();
            long unused = work.call();
            double seconds = (System.nanoTime() - start) / 1e9;
            over.set(true);
            for (Future<Timings> consumer : consumers) {
                timings.addAll(consumer.get());
            }
            return seconds;
        } finally {
            threads.shutdownNow();
        }
    }

    private static Timings consumeUntil(AtomicBoolean over, PurgeRows bench, Consuming consuming) throws Exception {
        Timings timings = new Timings();
        while (!over.get()) {
            String token = bench.issue();
            long start = System.nanoTime();
            consuming.consume(token);
            timings.add(System.nanoTime() - start);
        }
        return timings;
    }

    private void add(String name, List<Outcome> outcomes) {
        List<Double> ratios = outcomes.stream().map(Outcome::ratio).sorted().toList();
        double ratio = ratios.get(ratios.size() / 2);
        Timings without = all(outcomes.stream().map(Outcome::without).toList());
        Timings meanwhile = all(outcomes.stream().map(Outcome::meanwhile).toList());
        double seconds =
                outcomes.stream().map(Outcome::seconds).sorted().toList().get(outcomes.size() / 2);
        String range = Report.number(ratios.get(0)) + " to " + Report.number(ratios.get(ratios.size() - 1));
        rows.add(List.of(
                name,
                String.format(Locale.ROOT, "%.1f", seconds),
                Report.number(without.median()),
                Report.number(without.quantile(0.99)),
                Report.number(without.max()),
                Report.number(meanwhile.median()),
                Report.number(meanwhile.quantile(0.99)),
                Report.number(meanwhile.max()),
                "**" + Report.number(ratio) + "** (" + range + ")"));
        plot.bar(name, "nobody purges", without.quantile(0.99));
        plot.bar(name, "meanwhile", meanwhile.quantile(0.99));
        if (!name.contains("DELETE")) {
            report.target(
                    "p99 of consumers while tokens are purged, " + name,
                    Report.number(ratio) + "x (" + range + ")",
                    "at most " + Report.number(MOST) + "x",
                    ratio <= MOST);
            report.target(
                    "longest wait of a consumer meanwhile, " + name,
                    Report.number(meanwhile.max()) + " ms of " + Report.number(seconds * 1e3) + " ms",
                    "a fraction of the purge",
                    meanwhile.max() < seconds * 1e3 / 5);
        }
    }

    private static Timings all(List<Timings> parts) {
        Timings all = new Timings();
        parts.forEach(all::addAll);
        return all;
    }
}
