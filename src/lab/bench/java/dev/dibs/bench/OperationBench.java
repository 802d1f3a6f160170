package dev.dibs.bench;

import static dev.dibs.bench.BenchDatabase.require;

import dev.dibs.Acquirable;
import dev.dibs.Dibs;
import dev.dibs.Lease;
import dev.dibs.Leases;
import dev.dibs.claims.Claim;
import dev.dibs.claims.ClaimResult;
import dev.dibs.claims.RowClaims;
import dev.dibs.claims.RowKey;
import dev.dibs.database.H2Database;
import dev.dibs.database.MariaDbDatabase;
import dev.dibs.database.PostgresDatabase;
import dev.dibs.database.TestDatabase;
import dev.dibs.database.TestDatabases;
import dev.dibs.once.OnceOutcome;
import dev.dibs.tokens.OneTimeTokens;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;

/** What each operation costs, in bare UPDATEs. */
final class OperationBench extends Measurement {
    private static final String UPDATE = "a bare UPDATE";
    private static final Duration DAY = Duration.ofDays(1);
    private static final int ROWS = 10_000;

    private final AtomicLong next = new AtomicLong();

    OperationBench(Settings settings, Report report) {
        super(settings, report);
    }

    void run() throws Exception {
        report.section("Each operation", """
                One thread. The ratio is the time in bare UPDATEs by primary key of the same round. *New* is a name that
                was never used before; all others are used again and again. A completion leaves its rows such that they
                can be claimed again.
                """);
        Comparisons comparisons = new Comparisons();
        for (TestDatabase database : databases()) {
            try (BenchDatabase bench = new BenchDatabase(database)) {
                Rounds rounds = new Rounds(settings.rounds(), settings.slice(), 1);
                rounds.compare(UPDATE, bench::oneUpdate);
                operations(database, bench).forEach((name, operation) -> rounds.compare(name, thread -> operation));
                comparisons.add(List.of(database.name()), rounds.run());
            }
        }
        comparisons.into(report, List.of("database"), "operation");
    }

    private static List<TestDatabase> databases() {
        List<TestDatabase> all = List.of(
                TestDatabases.get(PostgresDatabase.class),
                TestDatabases.get(H2Database.class),
                TestDatabases.get(MariaDbDatabase.class));
        return all.stream().filter(TestDatabase::available).toList();
    }

    private Map<String, Operation> operations(TestDatabase database, BenchDatabase bench) throws Exception {
        Dibs dibs = bench.dibs;
        Map<String, Operation> all = new LinkedHashMap<>();
        all.put("lock: acquire + release", again(dibs.lock("bench")));
        all.put("lock, new: acquire + release", () -> once(dibs.lock("new-" + next.incrementAndGet())));
        all.put("lock, fair: acquire + release", again(dibs.lock("fair").fair()));
        all.put("two locks at once: acquire + release", () -> {
            try (Leases leases =
                    dibs.lockAll(List.of("one", "two")).tryAcquire().orElseThrow()) {
                require(leases.isValid());
            }
        });
        Lease held = dibs.lock("guarded").tryAcquire().orElseThrow();
        all.put("guarded transaction that does nothing", () -> held.inTransaction(bench.pool, connection -> {}));
        all.put(
                "read lock: acquire + release",
                again(dibs.readWriteLock("shared").read()));
        all.put(
                "write lock: acquire + release",
                again(dibs.readWriteLock("written").write()));
        all.put("permit: acquire + release", again(dibs.semaphore("permits", 3)));
        all.put("once, new and due", () -> {
            OnceOutcome outcome =
                    dibs.once("page-" + next.incrementAndGet()).every(DAY).tryRun(lease -> {});
            require(outcome == OnceOutcome.RAN);
        });
        RowClaims<RowKey> claims = claims(database, bench, dibs);
        all.put("claim 1 row + complete", () -> complete(claims, 1));
        all.put("claim 10 rows + complete", () -> complete(claims, 10));
        all.put("claim 10 rows + release", () -> claims.claim(10).close());
        OneTimeTokens tokens = tokens(dibs);
        all.put("token: issue", () -> require(!tokens.issue("user", DAY).isEmpty()));
        all.put(
                "token: issue + consume",
                () -> require(tokens.consume(tokens.issue("user", DAY)).isOk()));
        all.put(
                "code: issue + consume",
                () -> require(tokens.consumeCode("user", tokens.issueCode("user", DAY, 8))
                        .isOk()));
        return all;
    }

    private static OneTimeTokens tokens(Dibs dibs) {
        return dibs.tokens("operations")
                .purgeEvery(Duration.ZERO)
                .pepper("a secret of the benchmark alone".getBytes(StandardCharsets.US_ASCII));
    }

    private static Operation again(Acquirable<?> lock) {
        return () -> once(lock);
    }

    private static void once(Acquirable<?> lock) {
        lock.tryAcquire().orElseThrow().close();
    }

    private static RowClaims<RowKey> claims(TestDatabase database, BenchDatabase bench, Dibs dibs) throws Exception {
        WorkTable table = new WorkTable(database.name(), bench.pool, "operation_jobs");
        table.fill(0, ROWS);
        return table.claims(dibs).completeSet("what = 'again'").build();
    }

    /**
     * A claim finds fewer rows than there are if others have claimed and freed them while its statement ran. Here all rows are free
     * again at once, so this happens, and it is tried again.
     */
    private static void complete(RowClaims<RowKey> claims, int rows) {
        boolean completed = false;
        while (!completed) {
            try (Claim<RowKey> claim = claims.claim(rows)) {
                ClaimResult result = claim.complete();
                require(result.isComplete());
                completed = !result.done().isEmpty();
            }
        }
    }
}
