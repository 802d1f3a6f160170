package dev.dibs.bench;

import dev.dibs.Dibs;
import dev.dibs.bench.Rounds.Result;
import dev.dibs.database.H2Database;
import dev.dibs.database.MariaDbDatabase;
import dev.dibs.database.MySqlDatabase;
import dev.dibs.database.PostgresDatabase;
import dev.dibs.database.SqliteDatabase;
import dev.dibs.database.TestDatabase;
import dev.dibs.database.TestDatabases;
import dev.dibs.fault.TcpProxy;
import java.time.Duration;
import java.util.List;

/** Acquire and release against two bare updates, a try on a held lock against {@code SELECT 1}. */
final class LockBench extends Measurement {
    private static final String UPDATES = "two bare UPDATEs";
    private static final String PAIR = "acquire + release";
    private static final String FULL = "the same, not retaken";
    private static final String LEAST = "two bare UPDATEs, the second without waiting for the disk";
    private static final String SELECT = "SELECT 1";
    private static final String BUSY = "try on a held lock";

    private static final Duration DELAY = Duration.ofMillis(1);

    private final Comparisons comparisons = new Comparisons();

    LockBench(Settings settings, Report report) {
        super(settings, report);
    }

    void run() throws Exception {
        report.section("Acquire, release and try", """
                Everything goes through one HikariCP pool of 10 with autocommit. The bare UPDATEs are prepared
                statements by primary key on a table of the same shape. Each borrows a connection and commits, as
                acquire and release do. The ratio is of times in the same round: the median of %d rounds, in brackets
                the middle half of them. Below 1 is faster than the bare statements. With 8 threads, each has a name of
                its own.

                - Each thread acquires the name that it has just released, by the short statement `retake_lock`. *Not
                  retaken* is a dialect without that statement. There every acquire is like the first one of a name:
                  several small statements in one. It never waits, never fails, and names the holder.
                - On one machine a round trip costs next to nothing, and the ratio shows the work. *Network* is a proxy
                  that holds each piece for %d ms in both directions. There the ratio shows the round trips.
                - The release does not wait for the disk.
                - A try on a held lock is a repeated one. Once a name was busy, Dibs first looks by a plain read. The
                  first try costs as much as an acquire.

                With one thread a figure may be of either of two kinds. If client and server take turns on one
                processor, `SELECT 1` takes some 0.01 ms. If each message wakes another processor, it takes some 0.1 ms.
                The extra work is the same in both; the ratio is not.
                """.formatted(settings.rounds(), DELAY.toMillis()));
        onPostgres();
        onOther(TestDatabases.get(H2Database.class), List.of(1, BenchDatabase.THREADS));
        onOther(TestDatabases.get(MariaDbDatabase.class), List.of(1, BenchDatabase.THREADS));
        onOther(TestDatabases.get(MySqlDatabase.class), List.of(1));
        // Several threads wait for the file, and not for each other's locks.
        onOther(TestDatabases.get(SqliteDatabase.class), List.of(1));
        comparisons.into(report, List.of("database", "threads"), "operation");
    }

    private void onPostgres() throws Exception {
        TestDatabase hasty = PostgresDatabase.withoutFsync();
        try (BenchDatabase bench = new BenchDatabase(hasty)) {
            report.target(
                    "acquire + release, PostgreSQL without fsync", pairs("PostgreSQL, fsync off", bench, 1), 1.25);
            report.target("the same, 8 threads", pairs("PostgreSQL, fsync off", bench, BenchDatabase.THREADS), 1.4);
        }
        behindNetwork(hasty);
        try (BenchDatabase bench = new BenchDatabase(TestDatabases.get(PostgresDatabase.class))) {
            for (int threads : List.of(1, BenchDatabase.THREADS)) {
                String label = "acquire + release, PostgreSQL with fsync, threads: " + threads;
                report.target(label, pairs("PostgreSQL, fsync on", bench, threads), threads == 1 ? 0.7 : 1);
                report.target(label + ", to the least that waits for the disk once", least(bench, threads), 1.25);
            }
            report.target("try on a held lock, PostgreSQL", busy("PostgreSQL", bench, 1), 1.5);
            busy("PostgreSQL", bench, BenchDatabase.THREADS);
        }
    }

    private void behindNetwork(TestDatabase database) throws Exception {
        try (TcpProxy proxy = TcpProxy.to(database.port());
                BenchDatabase bench = new BenchDatabase(database, database.urlAt(proxy.port()))) {
            proxy.delay(DELAY);
            pairs("PostgreSQL, fsync off, network", bench, 1);
            busy("PostgreSQL, fsync off, network", bench, 1);
        }
    }

    private void onOther(TestDatabase database, List<Integer> numbers) throws Exception {
        if (!database.available()) {
            return;
        }
        try (BenchDatabase bench = new BenchDatabase(database)) {
            for (int threads : numbers) {
                report.target(
                        "acquire + release, " + database.name() + ", threads: " + threads,
                        pairs(database.name(), bench, threads),
                        1.2);
                busy(database.name(), bench, threads);
            }
        }
    }

    private Result pairs(String database, BenchDatabase bench, int threads) throws Exception {
        try (Dibs full = bench.neverRetaking()) {
            List<Result> results = new Rounds(settings.rounds(), settings.slice(), threads)
                    .compare(UPDATES, bench::twoUpdates)
                    .compare(FULL, thread -> bench.acquireAndReleaseBy(full, thread))
                    .compare(PAIR, bench::acquireAndRelease)
                    .run();
            if (threads == 1) {
                report.headline("acquire + release, " + database, results);
            }
            return comparisons.add(List.of(database, String.valueOf(threads)), results);
        }
    }

    /** What no lock that is durable when it is granted can be quicker than, however slow the disk is. */
    private Result least(BenchDatabase bench, int threads) throws Exception {
        return comparisons.add(
                List.of("PostgreSQL, fsync on", String.valueOf(threads)),
                new Rounds(settings.rounds(), settings.slice(), threads)
                        .compare(LEAST, bench::oneDurableUpdate)
                        .compare(PAIR, bench::acquireAndRelease)
                        .run());
    }

    private Result busy(String database, BenchDatabase bench, int threads) throws Exception {
        List<Result> results = new Rounds(settings.rounds(), settings.slice(), threads)
                .compare(SELECT, thread -> bench.selectOne())
                .compare(BUSY, thread -> bench.busyTry())
                .run();
        if (threads == 1) {
            report.headline("try on a held lock, " + database, results);
        }
        return comparisons.add(List.of(database, String.valueOf(threads)), results);
    }
}
