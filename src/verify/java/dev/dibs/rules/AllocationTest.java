package dev.dibs.rules;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.dibs.Dibs;
import dev.dibs.Lease;
import dev.dibs.claims.Claim;
import dev.dibs.claims.RowClaims;
import dev.dibs.claims.RowKey;
import dev.dibs.database.DatabaseUser;
import dev.dibs.database.H2Database;
import dev.dibs.database.OnEachDatabase;
import dev.dibs.database.PostgresDatabase;
import dev.dibs.database.Sql;
import dev.dibs.database.TestDatabase;
import dev.dibs.internal.lease.HeldLease;
import dev.dibs.internal.lease.LeaseKeys;
import dev.dibs.internal.lease.LeaseKind;
import dev.dibs.internal.sql.call.Database;
import dev.dibs.internal.sql.connect.Connections;
import dev.dibs.internal.sql.files.DialectFolder;
import dev.dibs.internal.sql.files.Statements;
import dev.dibs.once.Once;
import dev.dibs.tokens.OneTimeTokens;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * How many bytes a call allocates on the calling thread, without those of the driver and the pool. A stream or a map on the way of each
 * call shows here.
 *
 * <p>The limits are a tenth above what was measured when they were set, with the first compiler. The second one allocates less.
 */
@OnEachDatabase({H2Database.class, PostgresDatabase.class})
@Tag("unit")
class AllocationTest implements DatabaseUser {

    private static final System.Logger LOG = System.getLogger("dev.dibs");

    private static final Map<String, Long> LIMITS = Map.ofEntries(
            Map.entry("acquire", 1_350L),
            Map.entry("release", 390L),
            Map.entry("held try", 670L),
            Map.entry("renewal of 100", 9_500L),
            Map.entry("guarded transaction", 1_120L),
            Map.entry("locked transaction", 1_450L),
            Map.entry("claim of 1", 2_710L),
            Map.entry("complete of 1", 2_290L),
            Map.entry("claim of 10", 4_740L),
            Map.entry("complete of 10", 4_450L),
            Map.entry("consume", 2_030L),
            Map.entry("once that is not due", 0L));

    /** Until then a driver still prepares statements on the server, and classes are loaded. */
    private static final int WARM_UP = 12;

    private static final int ROUNDS = 2;
    private static final int TIMES = 8;
    private static final int MANY = 100;
    private static final int BATCH = 10;

    private final Map<String, Long> measured = new LinkedHashMap<>();
    private final DriverBytes driver = new DriverBytes();
    private TestDatabase database;
    private HikariDataSource pool;
    private DataSource counted;

    @Override
    public void use(TestDatabase given) {
        database = given;
        pool = given.shared();
        counted = driver.around(pool);
    }

    /** Something that is done again and again. */
    private interface Action {
        void run() throws Exception;
    }

    @Test
    void aCallAllocatesLittle() throws Exception {
        int rows = (WARM_UP + ROUNDS * TIMES) * (BATCH + 1);
        Sql.on(pool)
                .run("CREATE TABLE allocation (id bigint NOT NULL PRIMARY KEY, token varchar(32), until_ms bigint)");
        try (Dibs dibs = Dibs.on(counted);
                Dibs other = Dibs.on(pool)) {
            Sql.on(pool).run("INSERT INTO allocation (id) SELECT n FROM " + database.numbers(rows));
            Lease held = other.lock("allocation-held").acquire(Duration.ZERO);
            measure(acquire(dibs));
            measure(tryHeld(dibs));
            measure(renew(dibs));
            measure(guard(dibs));
            measure(lockTransaction(dibs));
            measure(claim(dibs, 1));
            measure(claim(dibs, BATCH));
            measure(consume(dibs));
            measure(once(dibs));
            held.close();
        } finally {
            Sql.on(pool).run("DROP TABLE allocation");
        }
        LOG.log(Level.INFO, () -> "Own bytes of each call on " + database + ": " + measured);
        measured.forEach(
                (call, bytes) -> assertThat(bytes).as("bytes of " + call).isLessThanOrEqualTo(LIMITS.get(call)));
    }

    /** The least bytes of some rounds, for each step that has a name. */
    private void measure(Map<String, Action> steps) throws Exception {
        for (int i = 0; i < WARM_UP; i++) {
            for (Action step : steps.values()) {
                step.run();
            }
        }
        for (int round = 0; round < ROUNDS; round++) {
            Map<String, Long> sums = new LinkedHashMap<>();
            for (int i = 0; i < TIMES; i++) {
                for (Map.Entry<String, Action> step : steps.entrySet()) {
                    long before = driver.own();
                    step.getValue().run();
                    sums.merge(step.getKey(), driver.own() - before, Long::sum);
                }
            }
            sums.forEach((step, sum) -> measured.merge(step, sum / TIMES, Long::min));
        }
        measured.remove("");
    }

    private static Map<String, Action> acquire(Dibs dibs) {
        Lease[] lease = new Lease[1];
        Map<String, Action> steps = new LinkedHashMap<>();
        steps.put(
                "acquire", () -> lease[0] = dibs.lock("allocation").tryAcquire().orElseThrow());
        steps.put("release", () -> lease[0].close());
        return steps;
    }

    private static Map<String, Action> tryHeld(Dibs dibs) {
        return Map.of("held try", () -> {
            if (dibs.lock("allocation-held").tryAcquire().isPresent()) {
                throw new IllegalStateException("it is held");
            }
        });
    }

    /** As the heartbeat does it, on this thread. */
    private Map<String, Action> renew(Dibs dibs) throws Exception {
        List<LeaseKeys.Key> keys = new ArrayList<>();
        for (int i = 0; i < MANY; i++) {
            HeldLease lease = (HeldLease) dibs.lock("allocation-" + i)
                    .leaseLength(Duration.ofHours(1))
                    .acquire(Duration.ZERO);
            keys.add(lease.key());
        }
        LeaseKeys all = new LeaseKeys(keys);
        Statements statements =
                Statements.load(DialectFolder.named(database instanceof H2Database ? "h2" : "postgresql"), "dibs_");
        Database own = new Database(Connections.forCallers(counted, Runnable::run, statements), statements);
        return Map.of("renewal of " + MANY, () -> {
            if (LeaseKind.LOCK
                            .renew(own, all, 3_600_000, Duration.ofSeconds(10))
                            .size()
                    != MANY) {
                throw new IllegalStateException("they are ours");
            }
        });
    }

    private Map<String, Action> guard(Dibs dibs) {
        Lease lease = dibs.lock("allocation-guarded").acquire(Duration.ZERO);
        return Map.of(
                "guarded transaction",
                () -> lease.inTransaction(
                        counted, connection -> connection.createStatement().close()));
    }

    private Map<String, Action> lockTransaction(Dibs dibs) {
        return Map.of(
                "locked transaction",
                () -> dibs.lock("allocation-transaction")
                        .inTransaction(
                                counted,
                                connection -> connection.createStatement().close()));
    }

    private static Map<String, Action> claim(Dibs dibs, int n) {
        RowClaims<RowKey> claims = dibs.claims("allocation")
                .key("id")
                .token("token")
                .until("until_ms")
                .completeDelete()
                .build();
        AtomicReference<Claim<RowKey>> claim = new AtomicReference<>();
        Map<String, Action> steps = new LinkedHashMap<>();
        steps.put("claim of " + n, () -> claim.set(claims.claim(n)));
        steps.put("complete of " + n, () -> claim.get().complete());
        return steps;
    }

    private static Map<String, Action> consume(Dibs dibs) {
        OneTimeTokens tokens = dibs.tokens("allocation");
        String[] token = new String[1];
        Map<String, Action> steps = new LinkedHashMap<>();
        steps.put("", () -> token[0] = tokens.issue("ann", Duration.ofMinutes(1)));
        steps.put("consume", () -> tokens.consume(token[0]));
        return steps;
    }

    private static Map<String, Action> once(Dibs dibs) {
        Once once = dibs.once("allocation").every(Duration.ofDays(1));
        return Map.of("once that is not due", () -> once.tryRun(lease -> {}));
    }
}
