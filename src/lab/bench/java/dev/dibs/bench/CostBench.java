package dev.dibs.bench;

import com.zaxxer.hikari.HikariDataSource;
import dev.dibs.Dibs;
import dev.dibs.Lease;
import dev.dibs.NamedLock;
import dev.dibs.database.CountingDataSource;
import dev.dibs.database.PostgresDatabase;
import dev.dibs.database.Sql;
import dev.dibs.database.TestDatabase;
import dev.dibs.database.TestDatabases;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;

/** Statements, and bytes of write-ahead log, for each operation on PostgreSQL. */
final class CostBench {
    private static final int TIMES = 200;
    private static final int BUSY_TRIES = 1000;
    private static final int LEASES = 100;
    private static final Duration RENEWED_OFTEN = Duration.ofSeconds(3);

    private final Report report;
    private final TestDatabase database = TestDatabases.get(PostgresDatabase.class);
    private final PostgresServer server = new PostgresServer(database.dataSource());
    private final List<List<String>> rows = new ArrayList<>();

    CostBench(Report report) {
        this.report = report;
    }

    void run() throws Exception {
        report.section("Statements and write-ahead log", """
                PostgreSQL. Statements are those that Dibs sends, counted at the pool. Bytes are the distance that the
                log's insert position moves, the median of %d times. An operation waits for the disk if its log is on
                disk when it returns.
                """.formatted(TIMES));
        try (HikariDataSource pool = database.pool(config -> config.setMaximumPoolSize(4))) {
            CountingDataSource counting = new CountingDataSource(pool);
            try (Dibs dibs = Dibs.builder(counting)
                            .leaseLength(Duration.ofMinutes(5))
                            .build();
                    Dibs other = Dibs.on(pool)) {
                dibs.admin().createSchema();
                locks(dibs, counting);
                bare(pool);
                renewals(dibs, counting);
                busy(dibs, other, counting);
            }
        }
        report.table(List.of("operation", "statements", "WAL bytes", "waits for the disk"), rows);
    }

    private void locks(Dibs dibs, CountingDataSource counting) throws Exception {
        Counts first = new Counts(counting);
        Counts acquire = new Counts(counting);
        Counts release = new Counts(counting);
        List<Lease> leases = new ArrayList<>();
        for (int i = 0; i < TIMES; i++) {
            NamedLock fresh = dibs.lock("cost-" + i);
            first.count(() -> leases.add(fresh.tryAcquire().orElseThrow()));
        }
        NamedLock lock = dibs.lock("cost");
        lock.tryAcquire().orElseThrow().close();
        for (int i = 0; i < TIMES; i++) {
            acquire.count(() -> leases.add(lock.tryAcquire().orElseThrow()));
            release.count(() -> leases.get(leases.size() - 1).close());
        }
        leases.forEach(Lease::close);
        row("acquire, a name's first time", first);
        row("acquire", acquire);
        row("release", release);
    }

    private void bare(HikariDataSource pool) throws Exception {
        Counts update = new Counts(new CountingDataSource(pool));
        for (int i = 0; i < TIMES; i++) {
            update.count(() -> {
                Sql.on(pool).change("UPDATE dibs_lock SET holder = holder WHERE name = 'cost'");
            });
        }
        rows.add(List.of("(for comparison: a bare UPDATE)", "1", String.valueOf(update.medianBytes()), update.waits()));
    }

    /** The heartbeat renews at its own times: the bytes between two looks count if there was one renewal between them. */
    private void renewals(Dibs dibs, CountingDataSource counting) throws Exception {
        List<Lease> leases = new ArrayList<>();
        for (int i = 0; i < LEASES; i++) {
            leases.add(dibs.lock("renewed-" + i)
                    .leaseLength(RENEWED_OFTEN)
                    .tryAcquire()
                    .orElseThrow());
        }
        Thread.sleep(RENEWED_OFTEN.toMillis());
        Counts renewal = new Counts(counting);
        for (int i = 0; i < 5; i++) {
            renewal.count(() -> awaitStatement(counting));
        }
        row("renew " + LEASES + " leases", renewal);
        leases.forEach(Lease::close);
    }

    private static void awaitStatement(CountingDataSource counting) throws InterruptedException {
        while (counting.statements().isEmpty()) {
            Thread.sleep(5);
        }
        Thread.sleep(200);
    }

    /** The server itself sometimes writes a record of some 50 bytes: the quietest of several series counts. */
    private void busy(Dibs dibs, Dibs other, CountingDataSource counting) throws Exception {
        NamedLock lock = dibs.lock("cost");
        try (Lease ignored = other.lock("cost").acquire(Duration.ofSeconds(10))) {
            List<PostgresServer.Wal> series = new ArrayList<>();
            for (int i = 0; i < 5; i++) {
                // What is written during the series was then inserted during it, too.
                server.checkpoint();
                counting.reset();
                series.add(tryInVain(lock));
            }
            PostgresServer.Wal least = Collections.min(series, Comparator.comparingLong(PostgresServer.Wal::inserted));
            double statements = counting.statements().size() / (double) BUSY_TRIES;
            rows.add(List.of(
                    "try on a held lock",
                    Report.number(statements),
                    String.valueOf(least.inserted() / BUSY_TRIES),
                    "no"));
            report.target(
                    "WAL of " + BUSY_TRIES + " tries on a held lock",
                    least.inserted() + " bytes made, " + least.written() + " written",
                    "0 bytes",
                    least.inserted() == 0 && least.written() == 0);
        }
    }

    private PostgresServer.Wal tryInVain(NamedLock lock) throws Exception {
        PostgresServer.Position start = server.position();
        for (int i = 0; i < BUSY_TRIES; i++) {
            if (lock.tryAcquire().isPresent()) {
                throw new IllegalStateException("The lock was free");
            }
        }
        return server.since(start);
    }

    private void row(String operation, Counts counts) {
        rows.add(List.of(
                operation,
                String.valueOf(counts.medianStatements()),
                String.format(Locale.ROOT, "%,d", counts.medianBytes()),
                counts.waits()));
    }

    /** Statements and bytes of one operation, many times over. */
    private final class Counts {
        private final CountingDataSource counting;
        private final List<Long> statements = new ArrayList<>();
        private final List<Long> bytes = new ArrayList<>();
        private final List<Long> flushed = new ArrayList<>();

        Counts(CountingDataSource counting) {
            this.counting = counting;
        }

        void count(Operation operation) throws Exception {
            PostgresServer.Position start = server.position();
            counting.reset();
            operation.run();
            statements.add((long) counting.statements().size());
            PostgresServer.Wal wal = server.since(start);
            bytes.add(wal.inserted());
            flushed.add(wal.flushed());
        }

        long medianStatements() {
            return median(statements);
        }

        long medianBytes() {
            return median(bytes);
        }

        String waits() {
            return median(flushed) > 0 ? "yes" : "no";
        }

        private static long median(List<Long> values) {
            return values.stream().sorted().toList().get(values.size() / 2);
        }
    }
}
