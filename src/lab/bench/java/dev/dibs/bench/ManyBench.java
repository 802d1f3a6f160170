package dev.dibs.bench;

import dev.dibs.Dialect;
import dev.dibs.Dibs;
import dev.dibs.bench.Rounds.Result;
import dev.dibs.database.H2Database;
import dev.dibs.database.MariaDbDatabase;
import dev.dibs.database.PostgresDatabase;
import dev.dibs.database.TestDatabase;
import dev.dibs.database.TestDatabases;
import dev.dibs.fault.TcpProxy;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Many threads that each acquire and release a lock of their own, one by one and in batches. */
final class ManyBench extends Measurement {

    private static final List<Integer> THREADS = List.of(1, 8, 64);
    private static final Duration NETWORK = Duration.ofNanos(250_000);
    private static final Duration DISK = Duration.ofMillis(2);
    /** The number of connections to a distant database. */
    private static final int FEW = 8;

    private static final String UPDATES = "two bare UPDATEs";
    private static final String ONE_BY_ONE = "Dibs, one by one";
    private static final String DIBS = "Dibs";

    private final Comparisons comparisons = new Comparisons();
    private final Map<String, Result> last = new HashMap<>();

    ManyBench(Settings settings, Report report) {
        super(settings, report);
    }

    void run() throws Exception {
        report.section("Many locks at once", """
                Threads acquire and release, each a lock of its own, through one pool of %d. *One by one* is Dibs with a
                dialect that has no statements for many locks.

                Up to 8 statements of an instance run at once. Later callers wait and are sent together: one statement,
                one round trip and one commit for up to 64 acquires, or releases.

                *Far* is a database as one rents it. A proxy holds each piece for %d µs in both directions, and
                PostgreSQL waits %d µs before each flush of its log (`commit_delay`). The pool has %d connections there.
                """.formatted(
                        BenchDatabase.POOL, NETWORK.toNanos() / 1_000, DISK.toNanos() / 1_000, FEW));
        TestDatabase postgres = TestDatabases.get(PostgresDatabase.class);
        on("PostgreSQL, fsync on", new BenchDatabase(postgres));
        target("PostgreSQL with fsync", UPDATES, 3.5);
        far(PostgresDatabase.another());
        TestDatabase hasty = PostgresDatabase.withoutFsync();
        on("PostgreSQL, fsync off", new BenchDatabase(hasty));
        onOther("MariaDB", TestDatabases.get(MariaDbDatabase.class));
        onOther("H2", TestDatabases.get(H2Database.class));
        comparisons.into(report, List.of("database", "threads"), "operation");
    }

    private void far(TestDatabase postgres) throws Exception {
        // Starts it.
        postgres.url();
        try (TcpProxy proxy = TcpProxy.to(postgres.port())) {
            proxy.delay(NETWORK);
            String url = postgres.urlAt(proxy.port());
            String options = "options=-c%20commit_siblings=0%20-c%20commit_delay=" + DISK.toNanos() / 1_000;
            String far = url + (url.contains("?") ? "&" : "?") + options;
            on("PostgreSQL, far", new BenchDatabase(postgres, far, FEW));
            target("PostgreSQL, far", UPDATES, 7);
        }
    }

    private void onOther(String label, TestDatabase database) throws Exception {
        if (database.available()) {
            on(label, new BenchDatabase(database));
        }
    }

    private void on(String label, BenchDatabase made) throws Exception {
        try (BenchDatabase bench = made;
                Dibs single = Dibs.builder(bench.pool)
                        .leaseLength(Duration.ofMinutes(5))
                        .dialect(Dialect.at(
                                BenchDatabase.oneByOne(bench.dibs.dialect().name())))
                        .build()) {
            for (int threads : THREADS) {
                List<Result> results = new Rounds(settings.rounds(), slice(bench, threads), threads)
                        .compare(UPDATES, bench::twoUpdates)
                        .compare(ONE_BY_ONE, thread -> bench.acquireAndReleaseBy(single, thread))
                        .compare(DIBS, bench::acquireAndRelease)
                        .run();
                comparisons.add(List.of(label, String.valueOf(threads)), results);
                results.forEach(result -> last.put(result.name(), result));
                System.out.println(label + ", " + threads + " threads");
                results.forEach(System.out::println);
                if (threads == BenchDatabase.MOST_THREADS) {
                    report.headline(
                            "acquire + release of %d threads, %s, a second".formatted(threads, label),
                            Comparisons.rates(results));
                }
            }
        }
    }

    /**
     * If an operation takes a tenth of a slice, the first and the last one would dominate the result. With few connections, 64 threads wait
     * for each other: two bare UPDATEs take some 60 ms.
     */
    private Duration slice(BenchDatabase bench, int threads) {
        int longer = bench.pool.getMaximumPoolSize() == FEW ? 10 : 3;
        return settings.slice().multipliedBy(threads > BenchDatabase.THREADS ? longer : 1);
    }

    private void target(String where, String peer, double least) {
        double times = last.get(DIBS).perSecond() / last.get(peer).perSecond();
        report.target(
                "64 locks at once, " + where + ", to " + peer,
                Report.number(times) + "x",
                "at least " + Report.number(least) + "x",
                times >= least);
    }
}
