package dev.dibs.rules;

import static org.assertj.core.api.Assertions.assertThat;

import dev.dibs.Acquirable;
import dev.dibs.Candidacy;
import dev.dibs.Dibs;
import dev.dibs.DibsBuilder;
import dev.dibs.DibsListener;
import dev.dibs.Leadership;
import dev.dibs.Lease;
import dev.dibs.LeaseCall;
import dev.dibs.LeaseWork;
import dev.dibs.Leases;
import dev.dibs.Permit;
import dev.dibs.TimedLease;
import dev.dibs.TransactionCall;
import dev.dibs.TransactionWork;
import dev.dibs.claims.Claim;
import dev.dibs.claims.ClaimsBuilder;
import dev.dibs.claims.RowClaims;
import dev.dibs.claims.RowKey;
import dev.dibs.claims.RowMapper;
import dev.dibs.database.Sql;
import dev.dibs.once.Once;
import dev.dibs.once.OnceBuilder;
import dev.dibs.runs.RunBuilder;
import dev.dibs.runs.RunTransactionWork;
import dev.dibs.runs.RunWork;
import dev.dibs.runs.RunWorkers;
import dev.dibs.tokens.OneTimeTokens;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** An object that a user prints says what it is and its name, on one line, and no secret. */
@Tag("contract")
class ToStringTest {

    private static final String PASSWORD = "pass-4711";
    private static final String PEPPER = "pepper-4711-pepper-4711-pepper-4711";

    /** A user writes these. */
    private static final Set<Class<?>> OF_USERS = Set.of(
            LeaseWork.class,
            LeaseCall.class,
            TransactionWork.class,
            TransactionCall.class,
            DibsListener.class,
            RowMapper.class,
            RunWork.class,
            RunTransactionWork.class);

    @Test
    void everyObjectPrintsItsTypeAndName() throws Exception {
        DataSource source = source();
        Sql.on(source).run("CREATE TABLE jobs (id bigint PRIMARY KEY, done int)", "INSERT INTO jobs VALUES (1, 0)");
        DibsBuilder builder = Dibs.builder(source).holder("me\n4711");
        try (Dibs dibs = builder.build()) {
            dibs.admin().createSchema();
            ClaimsBuilder claimsBuilder =
                    dibs.claims("jobs").key("id").sideTable().where("done = 0");
            RowClaims<RowKey> claims = claimsBuilder.completeSet("done = 1").build();
            OnceBuilder onceBuilder = dibs.once("a\nonce");
            Once once = onceBuilder.every(Duration.ofHours(1));
            once.tryRun(lease -> {});
            RunBuilder<RowKey> runBuilder = dibs.run("a\nrun").over(claims);
            OneTimeTokens tokens = dibs.tokens("reset").pepper(PEPPER.getBytes(StandardCharsets.UTF_8));
            Leadership leadership = dibs.leadership("a\nleadership");
            Acquirable<TimedLease> timedLock = dibs.lock("a\ntimed").atMost(Duration.ofSeconds(90));
            try (Lease lease = dibs.lock("a\nlease").acquire(Duration.ZERO);
                    TimedLease timed = timedLock.acquire(Duration.ZERO);
                    Leases leases = dibs.lockAll(List.of("a\nlist")).acquire(Duration.ZERO);
                    Claim<RowKey> claim = claims.claim(1);
                    Permit permit = dibs.semaphore("a\nb", 1).acquire(Duration.ZERO);
                    Candidacy candidacy = leadership.campaign();
                    RunWorkers<RowKey> workers = runBuilder.work(key -> {})) {
                Map<Object, String> expected = Map.ofEntries(
                        Map.entry(builder, "DibsBuilder"),
                        Map.entry(dibs, "Dibs[h2, me\\u000a4711]"),
                        Map.entry(dibs.admin(), "Admin[me\\u000a4711]"),
                        Map.entry(dibs.admin().statistics(), "Statistics[me\\u000a4711]"),
                        Map.entry(dibs.dialect(), "h2"),
                        Map.entry(dibs.lock("a\nlock"), "NamedLock[a\\u000alock]"),
                        Map.entry(dibs.lockAll(List.of("a\nb", "c")), "NamedLocks[a\\u000ab, c]"),
                        Map.entry(dibs.semaphore("a\nb", 3), "NamedSemaphore[a\\u000ab, 3 permits]"),
                        Map.entry(dibs.readWriteLock("a\nb"), "ReadWriteLock[a\\u000ab]"),
                        Map.entry(dibs.readWriteLock("b").read(), "ReadWriteLock[b].read()"),
                        Map.entry(dibs.readWriteLock("b").write(), "ReadWriteLock[b].write()"),
                        Map.entry(dibs.lock("b").asLock(), "Lock[b]"),
                        Map.entry(leadership, "Leadership[a\\u000aleadership]"),
                        Map.entry(lease, "Lease[a\\u000alease, fencing token " + lease.fencingToken() + ", held]"),
                        Map.entry(
                                leases,
                                "Leases[Lease[a\\u000alist, fencing token "
                                        + leases.get("a\nlist").fencingToken() + ", held]]"),
                        Map.entry(claimsBuilder, "ClaimsBuilder[jobs]"),
                        Map.entry(timedLock, "NamedLock[a\\u000atimed, 90 s at most]"),
                        Map.entry(timedLock.interruptOnLoss(), timedLock + ", interrupts on loss"),
                        Map.entry(claims, "RowClaims[jobs]"),
                        Map.entry(claim, "Claim[RowClaims[jobs], 1 rows, 1 held]"),
                        Map.entry(claim.keys().get(0), "1"),
                        Map.entry(onceBuilder, "OnceBuilder[a\\u000aonce]"),
                        Map.entry(once, "Once[a\\u000aonce]"),
                        Map.entry(once.info().orElseThrow(), "OnceInfo[a\\u000aonce]"),
                        Map.entry(tokens.consume("no token"), "UNKNOWN"),
                        Map.entry(dibs.run("a\nrun"), "Run[a\\u000arun]"),
                        Map.entry(runBuilder, "RunBuilder[a\\u000arun]"),
                        Map.entry(workers, "RunWorkers[a\\u000arun, 1 of 1 not ended]"),
                        Map.entry(tokens, "OneTimeTokens[reset]"));
                expected.forEach((object, text) -> assertThat(object.toString())
                        .isEqualTo(text)
                        .doesNotContain(PASSWORD, PEPPER, claim.token(), "\n"));
                assertThat(permit.toString()).startsWith("Lease[a\\u000ab, fencing token");
                assertThat(candidacy.toString()).startsWith("Candidacy[a\\u000aleadership");
                for (Class<?> type : PublicApi.ofCore()) {
                    if (!type.isRecord() && !type.isEnum() && !Throwable.class.isAssignableFrom(type)) {
                        assertThat(OF_USERS.contains(type)
                                        || type.isInstance(permit)
                                        || type.isInstance(timed)
                                        || type.isInstance(candidacy)
                                        || expected.keySet().stream().anyMatch(type::isInstance))
                                .as("%s is printed here", type)
                                .isTrue();
                    }
                }
            }
        }
    }

    @Test
    void aLeaseSaysHowItEnded() throws Exception {
        Dibs dibs = Dibs.on(source());
        dibs.admin().createSchema();
        Lease released = dibs.lock("released").acquire(Duration.ZERO);
        released.close();
        Lease closed = dibs.lock("closed").acquire(Duration.ZERO);
        dibs.close();

        assertThat(released.toString()).endsWith(", released]");
        assertThat(closed.toString()).endsWith(", closed with its Dibs]");
        assertThat(dibs.toString()).endsWith(", closed]");
    }

    private static DataSource source() {
        JdbcDataSource source = new JdbcDataSource();
        // The data source prints its URL.
        source.setURL(
                "jdbc:h2:mem:printed" + System.nanoTime() + ";DB_CLOSE_DELAY=-1;INIT=SET @PASSWORD '" + PASSWORD + "'");
        return source;
    }
}
