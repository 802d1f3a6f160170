package dev.dibs.bench;

import com.zaxxer.hikari.HikariDataSource;
import dev.dibs.Dibs;
import dev.dibs.DibsListener;
import dev.dibs.Lease;
import dev.dibs.LeaseLostException;
import dev.dibs.database.CountingDataSource;
import dev.dibs.database.PostgresDatabase;
import dev.dibs.database.TestDatabase;
import dev.dibs.database.TestDatabases;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** One instance that holds very many leases: how many statements keep them, and whether any is lost. */
final class RenewalBench extends Measurement {
    private static final int LEASES = 10_000;
    private static final Duration LEASE = Duration.ofSeconds(30);
    private static final Duration INTERVAL = LEASE.dividedBy(3);
    private static final int MOST_STATEMENTS = 50;

    private final TestDatabase database = TestDatabases.get(PostgresDatabase.class);
    private final AtomicInteger lost = new AtomicInteger();
    private final AtomicInteger failures = new AtomicInteger();

    RenewalBench(Settings settings, Report report) {
        super(settings, report);
    }

    private final class Losses implements DibsListener {
        @Override
        public void lost(Lease lease, LeaseLostException reason, Duration held) {
            lost.incrementAndGet();
        }

        @Override
        public void renewalFailed(int leases, Exception cause) {
            failures.incrementAndGet();
        }
    }

    void run() throws Exception {
        new RenewalCost(settings, report).run();
        report.section("Ten thousand leases of one instance", """
                PostgreSQL with fsync. Leases of 30 s, so that each is renewed every 10 s. All statements of the
                instance are counted in each interval.
                """);
        try (HikariDataSource pool = database.pool(config -> config.setMaximumPoolSize(4))) {
            CountingDataSource counting = new CountingDataSource(pool);
            try (Dibs dibs = Dibs.builder(counting)
                    .leaseLength(LEASE)
                    .listener(new Losses())
                    .build()) {
                dibs.admin().createSchema();
                List<Lease> leases = acquire(dibs);
                List<List<String>> rows = watch(counting);
                judge(leases, dibs, rows);
            }
        }
    }

    private static List<Lease> acquire(Dibs dibs) {
        List<Lease> leases = new ArrayList<>();
        for (int i = 0; i < LEASES; i++) {
            leases.add(dibs.lock("device", i).tryAcquire().orElseThrow());
        }
        return leases;
    }

    private List<List<String>> watch(CountingDataSource counting) throws Exception {
        PostgresServer server = new PostgresServer(database.dataSource());
        List<List<String>> rows = new ArrayList<>();
        int intervals = (int) settings.watch().dividedBy(INTERVAL);
        for (int interval = 1; interval <= intervals; interval++) {
            counting.reset();
            PostgresServer.Position start = server.position();
            Thread.sleep(INTERVAL.toMillis());
            rows.add(List.of(
                    String.valueOf(interval),
                    String.valueOf(counting.statements().size()),
                    Report.number(server.since(start).inserted() / 1e6)));
        }
        return rows;
    }

    private void judge(List<Lease> leases, Dibs dibs, List<List<String>> rows) {
        int most = rows.stream()
                .mapToInt(row -> Integer.parseInt(row.get(1)))
                .max()
                .orElseThrow();
        long invalid = leases.stream().filter(lease -> !lease.isValid()).count();
        int inTable = (int) dibs.admin().locks().stream()
                .filter(lock -> lock.name().startsWith("device:"))
                .count();
        report.target(
                "statements per interval for 10,000 leases",
                "at most " + most,
                "at most " + MOST_STATEMENTS,
                most <= MOST_STATEMENTS);
        report.target(
                "leases lost of 10,000 in " + settings.watch().toSeconds() + " s",
                lost + " (" + inTable + " held in the table, " + failures + " failed renewals)",
                "0",
                lost.get() == 0 && invalid == 0 && inTable == LEASES);
        report.table(List.of("interval of 10 s", "statements", "WAL MB"), rows);
    }
}
