package dev.dibs.bench;

import com.sun.management.ThreadMXBean;
import com.zaxxer.hikari.HikariDataSource;
import dev.dibs.Dibs;
import dev.dibs.Lease;
import dev.dibs.database.CountingDataSource;
import dev.dibs.database.PostgresDatabase;
import dev.dibs.database.TestDatabase;
import dev.dibs.database.TestDatabases;
import dev.dibs.process.ChildJvm;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.jar.JarFile;
import java.util.stream.Stream;

/** The resources of Dibs in a process: bytes on the disk, heap, garbage, threads, time to start, and statements while nothing is held. */
final class FootprintBench extends Measurement {
    private static final int LEASES = 20_000;
    private static final int TIMES = 2_000;
    private static final int STARTS = 11;
    private static final Duration PATIENCE = Duration.ofMinutes(1);
    private static final long MOST_JAR = 760 * 1024;
    private static final long MOST_HEAP = 500;
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private final Path project;
    private final TestDatabase database = TestDatabases.get(PostgresDatabase.class);

    FootprintBench(Settings settings, Report report, Path project) {
        super(settings, report);
        this.project = project;
    }

    void run() throws Exception {
        report.section("Footprint", """
                PostgreSQL, HikariCP.

                - The heap of a lease: %,d leases are held, of locks whose names exist. It is what the heap has after a
                  collection, less what it had before.
                - Garbage is what the calling thread allocates, driver and pool included: the mean of %,d times.
                - The first lease is that of a process whose pool has used a connection: the median of %d processes.
                  Their compiler is set for a quick start. The second lease is that of another instance in the same
                  process.
                """.formatted(LEASES, TIMES, STARTS));
        jar();
        try (HikariDataSource pool = database.pool(config -> config.setMaximumPoolSize(BenchDatabase.POOL))) {
            held(pool);
            idle(pool);
        }
        try (BenchDatabase bench = new BenchDatabase(database)) {
            garbage(bench);
        }
        starts();
        report.table(List.of("what", "figure"), rows);
    }

    private void jar() throws IOException {
        try (Stream<Path> files = Files.list(project.resolve("src/core/target"))) {
            List<Path> jars = files.filter(
                            file -> file.getFileName().toString().matches("dibs-[0-9.]+(-SNAPSHOT)?\\.jar"))
                    .toList();
            for (Path file : jars) {
                jar(file);
            }
        }
    }

    private void jar(Path file) throws IOException {
        try (JarFile jar = new JarFile(file.toFile())) {
            long classes = jar.stream()
                    .filter(entry -> entry.getName().endsWith(".class"))
                    .count();
            long statements = jar.stream()
                    .filter(entry -> entry.getName().endsWith(".sql"))
                    .count();
            row("jar", "%,d bytes, %,d classes, %,d files of statements", Files.size(file), classes, statements);
            report.target(
                    "jar", Files.size(file) + " bytes", "under " + MOST_JAR + " bytes", Files.size(file) < MOST_JAR);
        }
    }

    private void held(HikariDataSource pool) throws InterruptedException {
        try (Dibs dibs = Dibs.builder(pool).leaseLength(Duration.ofMinutes(10)).build()) {
            dibs.admin().createSchema();
            List<String> names = Stream.iterate(0, i -> i + 1)
                    .limit(LEASES)
                    .map(i -> "footprint-" + i)
                    .toList();
            dibs.lock(names.get(0)).tryAcquire().orElseThrow().close();
            row("threads of an instance that has held a lease", "%d", threads());
            List<Lease> leases = new ArrayList<>(LEASES);
            long empty = heap();
            names.forEach(name -> leases.add(dibs.lock(name).tryAcquire().orElseThrow()));
            long each = (heap() - empty) / LEASES;
            row("heap of a held lease, beyond its name", "%,d bytes", each);
            report.target(
                    "heap of a held lease, beyond its name",
                    each + " bytes",
                    "under " + MOST_HEAP + " bytes",
                    each < MOST_HEAP);
            leases.forEach(Lease::close);
        }
    }

    /** The threads of Dibs, which have its name. */
    private static long threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("dibs"))
                .count();
    }

    /** After a collection; several, since an object that one of them releases may be collected only by the next. */
    private static long heap() throws InterruptedException {
        for (int i = 0; i < 4; i++) {
            System.gc();
            Thread.sleep(100);
        }
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }

    private void idle(HikariDataSource pool) throws InterruptedException {
        CountingDataSource counting = new CountingDataSource(pool);
        try (Dibs dibs = Dibs.on(counting)) {
            dibs.lock("idle").tryAcquire().orElseThrow().close();
            // The first acquire may be followed by a purge.
            Thread.sleep(2_000);
            counting.reset();
            Thread.sleep(settings.watch().toMillis());
            int statements = counting.statements().size();
            row(
                    "statements in %d s while nothing is held"
                            .formatted(settings.watch().toSeconds()),
                    "%d",
                    statements);
            report.target(
                    "statements while nothing is held",
                    statements + " in " + settings.watch().toSeconds() + " s",
                    "0",
                    statements == 0);
        }
    }

    private void garbage(BenchDatabase bench) throws Exception {
        garbage("two bare UPDATEs", bench.twoUpdates(0));
        garbage("acquire + release", bench.acquireAndRelease(0));
        garbage("SELECT 1", bench.selectOne());
        garbage("try on a held lock", bench.busyTry());
    }

    private void garbage(String what, Operation operation) throws Exception {
        repeat(operation);
        long before = THREADS.getThreadAllocatedBytes(Thread.currentThread().getId());
        repeat(operation);
        long after = THREADS.getThreadAllocatedBytes(Thread.currentThread().getId());
        row("garbage of " + what, "%,d bytes", (after - before) / TIMES);
    }

    private static void repeat(Operation operation) throws Exception {
        for (int i = 0; i < TIMES; i++) {
            operation.run();
        }
    }

    private void starts() throws InterruptedException {
        List<long[]> starts = new ArrayList<>();
        for (int i = 0; i < STARTS; i++) {
            try (ChildJvm child =
                    ChildJvm.start(FirstLeaseMain.class, database.url(), database.user(), database.password())) {
                String took = child.awaitLine(line -> line.startsWith(FirstLeaseMain.TOOK), PATIENCE);
                starts.add(
                        Stream.of(took.substring(FirstLeaseMain.TOOK.length()).split(" ", -1))
                                .mapToLong(Long::parseLong)
                                .toArray());
            }
        }
        row("first lease, from Dibs.on", "%.0f ms", median(starts, 0) / 1e6);
        row("first lease of a second instance", "%.1f ms", median(starts, 1) / 1e6);
        row("classes loaded for the first lease, the JDK's and the driver's included", "%,d", median(starts, 2));
    }

    private static long median(List<long[]> all, int column) {
        return all.stream().mapToLong(figures -> figures[column]).sorted().toArray()[all.size() / 2];
    }

    private void row(String what, String figure, Object... values) {
        rows.add(List.of(what, String.format(Locale.ROOT, figure, values)));
    }
}
