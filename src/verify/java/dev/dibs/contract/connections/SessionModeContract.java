package dev.dibs.contract.connections;

import static org.junit.jupiter.api.Assumptions.assumeFalse;

import com.zaxxer.hikari.HikariDataSource;
import dev.dibs.Capability;
import dev.dibs.DatabaseFailureException;
import dev.dibs.Dibs;
import dev.dibs.DibsListener;
import dev.dibs.Finding;
import dev.dibs.Lease;
import dev.dibs.NamedLock;
import dev.dibs.claims.Claim;
import dev.dibs.claims.ClaimsBuilder;
import dev.dibs.claims.RowClaims;
import dev.dibs.claims.RowKey;
import dev.dibs.contract.support.ContractFixture;
import dev.dibs.contract.support.Jobs;
import dev.dibs.contract.support.LeaseStatements;
import dev.dibs.contract.support.LeaseTable;
import dev.dibs.contract.support.OpenTable;
import dev.dibs.database.FullTest;
import dev.dibs.database.Sql;
import dev.dibs.internal.sql.call.Database;
import dev.dibs.internal.sql.call.Params;
import dev.dibs.once.OnceOutcome;
import dev.dibs.runs.RunWorkers;
import dev.dibs.tokens.OneTimeTokens;
import dev.dibs.tokens.TokenStatus;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Every operation works under the settings of a session that users have; or the error names the setting. */
class SessionModeContract extends ContractFixture {

    private static final int MANY = 30;

    private interface Operation {
        void under(HikariDataSource pool, Dibs dibs) throws Exception;
    }

    private final Map<String, Operation> operations = Map.ofEntries(
            Map.entry("locks", this::locks),
            Map.entry("many locks", this::manyLocks),
            Map.entry("other leases", this::otherLeases),
            Map.entry("lists of leases", this::lists),
            Map.entry("claims", this::claims),
            Map.entry("side claims", this::sideClaims),
            Map.entry("ranges", this::ranges),
            Map.entry("runs", this::runs),
            Map.entry("tokens", this::tokens),
            Map.entry("once", this::once),
            Map.entry("doctor", this::doctor));

    private HikariDataSource pool(String mode) {
        return database().pool(config -> {
            config.setMaximumPoolSize(4);
            for (String part : mode.split(";", -1)) {
                if (part.startsWith("SET ")) {
                    config.setConnectionInitSql(part);
                } else {
                    String[] property = part.split("=", 2);
                    config.addDataSourceProperty(property[0], property[1]);
                }
            }
        });
    }

    @FullTest(except = "h2")
    @Tag("slow")
    void everyOperationWorksInEachMode() throws Exception {
        List<String> failures = new ArrayList<>();
        for (String mode : database().sessionModes()) {
            try (HikariDataSource pool = pool(mode);
                    Dibs dibs = dibs(pool)) {
                operations.forEach((name, operation) -> {
                    try {
                        operation.under(pool, dibs);
                    } catch (Exception | AssertionError e) {
                        failures.add(mode + ": " + name + ": " + e);
                    }
                });
            }
        }
        assertThat(failures).isEmpty();
    }

    @FullTest(except = "postgresql")
    void theFirstErrorAndTheDoctorNameTheModeThatCausesIt() throws Exception {
        assumeFalse(database().refusedModes().isEmpty(), "no mode is refused here");
        for (Map.Entry<String, String> mode : database().refusedModes().entrySet()) {
            try (HikariDataSource pool = pool(mode.getKey());
                    Dibs dibs = dibs(pool)) {
                assertThatThrownBy(() -> dibs.lock(fresh("refused")).tryAcquire())
                        .as(mode.getKey())
                        .isInstanceOf(DatabaseFailureException.class)
                        .hasMessageContaining(mode.getValue());
                assertThat(dibs.admin().doctor())
                        .as(mode.getKey())
                        .anyMatch(finding -> finding.level() == Finding.Level.ERROR
                                && finding.subject().equals(mode.getValue()));
            }
        }
    }

    /** No error may come from them before a lease counts as lost. */
    @FullTest(except = "mariadb")
    void theDoctorNamesModesThatCutAnswersOffOrChangeCommits() {
        assumeFalse(database().modesForTheDoctor().isEmpty(), "no such mode is known here");
        database().modesForTheDoctor().forEach((mode, subject) -> {
            try (HikariDataSource pool = pool(mode);
                    Dibs dibs = dibs(pool)) {
                assertThat(dibs.admin().doctor())
                        .as(mode)
                        .anyMatch(finding -> finding.level().compareTo(Finding.Level.WARNING) >= 0
                                && finding.subject().equals(subject));
            }
        });
    }

    @Test
    void theDoctorAcquiresRenewsAndReleasesALockThatNobodySees() throws Exception {
        List<String> heard = new ArrayList<>();
        DibsListener listener = new DibsListener() {
            @Override
            public void acquired(Lease lease) {
                heard.add(lease.name());
            }
        };
        String prefix = prefix();
        Dibs dibs =
                closing(builder(pool()).tablePrefix(prefix).listener(listener).build());
        Connection connection = connection();
        dibs.admin().createSchema(Capability.LOCKS);
        assertThat(dibs.admin().doctor())
                .filteredOn(finding -> finding.subject().equals("trial lock"))
                .extracting(Finding::level)
                .containsExactly(Finding.Level.OK);
        assertThat(heard).isEmpty();
        assertThat(Sql.on(connection).number("SELECT count(*) FROM " + prefix + "lock"))
                .isZero();
        run(connection, "DROP TABLE " + prefix + "lock");
    }

    /** Where a setting of the connection can do that. */
    @FullTest
    void theDoctorTellsOfAConnectionThatCannotCarryNames() {
        assumeFalse(database().withoutUnicode().isEmpty(), "texts are always Unicode here");
        for (Map.Entry<String, String> mode : database().withoutUnicode().entrySet()) {
            try (HikariDataSource pool = pool(mode.getKey());
                    Dibs dibs = dibs(pool)) {
                assertThat(dibs.admin().doctor())
                        .extracting(Finding::subject)
                        .as("it is told at the start, too")
                        .contains(mode.getValue());
                assertThat(dibs.admin().doctor())
                        .filteredOn(finding -> finding.subject().equals("trial lock"))
                        .singleElement()
                        .satisfies(finding -> {
                            assertThat(finding.level()).isEqualTo(Finding.Level.ERROR);
                            assertThat(finding.message()).contains("a name comes back changed");
                        });
            }
        }
    }

    @FullTest(except = "postgresql")
    void operationsWorkInADatabaseWithoutAnEncoding() throws Exception {
        HikariDataSource pool = closing(database().unencoded());
        Dibs dibs = dibs(pool);
        for (String name : List.of("locks", "many locks", "other leases", "lists of leases", "tokens", "once")) {
            operations.get(name).under(pool, dibs);
        }
        assertThat(dibs.admin().doctor())
                .filteredOn(finding -> finding.subject().equals("trial lock"))
                .extracting(Finding::level)
                .containsExactly(Finding.Level.OK);
    }

    private void locks(HikariDataSource pool, Dibs dibs) throws Exception {
        NamedLock lock = dibs.lock(fresh("łódź \\ ' \" 🔒"));
        Lease first = lock.tryAcquire().orElseThrow();
        assertThat(lock.tryAcquire()).isEmpty();
        first.inTransaction(pool, tx -> {});
        first.close();
        lock.tryAcquire().orElseThrow().close();
        dibs.lock(fresh("hold"))
                .holdAtLeast(Duration.ofMillis(1))
                .tryAcquire()
                .orElseThrow()
                .close();
        NamedLock broken = dibs.lock(fresh("broken"));
        Lease taken = broken.tryAcquire().orElseThrow();
        assertThat(dibs.admin().breakLock(broken.name())).isPresent();
        taken.close();
        try (Lease fair = dibs.lock(fresh("fair")).fair().acquire(SOON)) {
            fair.check();
        }
    }

    private void manyLocks(HikariDataSource pool, Dibs dibs) throws Exception {
        try (var all = dibs.lockAll(fresh("all", MANY)).acquire(SOON)) {
            all.check();
        }
    }

    private void otherLeases(HikariDataSource pool, Dibs dibs) throws Exception {
        String name = fresh("other");
        Lease permit = dibs.semaphore(name, 2).tryAcquire().orElseThrow();
        Lease second = dibs.semaphore(name, 2).tryAcquire().orElseThrow();
        assertThat(dibs.semaphore(name, 2).tryAcquire()).isEmpty();
        permit.close();
        second.close();
        dibs.readWriteLock(name).write().tryAcquire().orElseThrow().close();
        Lease reader = dibs.readWriteLock(name).read().acquire(SOON);
        try (Dibs other = dibs(pool)) {
            assertThat(other.readWriteLock(name).write().tryAcquire()).isEmpty();
            reader.close();
            other.readWriteLock(name).write().acquire(SOON).close();
        }
    }

    /** Renewals, look-ups and releases of many. */
    private void lists(HikariDataSource pool, Dibs dibs) throws Exception {
        Database asked = asked(pool, "dibs_");
        List<String> names = fresh("listed \\ ' \"", MANY);
        List<String> owners = fresh("t", MANY);
        for (int i = 0; i < MANY; i++) {
            asked.call("acquire_lock", LeaseStatements.params(names.get(i), owners.get(i)), LeaseTable.TIMEOUT);
        }
        Params all = LeaseStatements.params(names.get(0), owners.get(0)).withPairs(names, owners);
        for (String statement : List.of("renew_locks", "find_locks")) {
            assertThat(asked.call(statement, all, LeaseTable.TIMEOUT, row -> row.getString("owner"))
                            .rows())
                    .as(statement)
                    .containsExactlyInAnyOrderElementsOf(owners);
        }
        asked.call("release_locks", all, LeaseTable.TIMEOUT);
        assertThat(asked.call("find_locks", all, LeaseTable.TIMEOUT).rows()).isEmpty();
        assertThat(dibs.admin().leases()).isNotNull();
    }

    private void check(RowClaims<RowKey> claims, int rows) throws Exception {
        Claim<RowKey> released = claims.claim(rows);
        assertThat(released.rows()).hasSize(rows);
        assertThat(released.renew().lost()).isEmpty();
        assertThat(claims.release(released.token())).hasSize(rows);
        Claim<RowKey> claim = claims.claim(rows);
        assertThat(claim.rows()).hasSize(rows);
        List<RowKey> keys = claim.keys();
        assertThat(claim.postpone(keys.subList(0, 2), Duration.ofHours(1)).lost())
                .isEmpty();
        assertThat(claim.complete(keys.subList(2, rows)).lost()).isEmpty();
    }

    private void claims(HikariDataSource pool, Dibs dibs) throws Exception {
        try (Jobs jobs = new Jobs(pool(), MANY)) {
            check(jobs.claims(dibs).build(), MANY);
        }
    }

    private void sideClaims(HikariDataSource pool, Dibs dibs) throws Exception {
        try (OpenTable table =
                new OpenTable(pool(), "id bigint NOT NULL, part varchar(20) NOT NULL, PRIMARY KEY (id, part)")) {
            for (int i = 0; i < MANY; i++) {
                table.run("INSERT INTO " + table.name() + " (id, part) VALUES (" + i + ", 'a,b''c')");
            }
            ClaimsBuilder builder = dibs.claims(table.name())
                    .key("id", "part")
                    .sideTable()
                    .orderBy("id")
                    .where("request_token IS NULL")
                    .completeSet("request_token = 'done'");
            check(builder.build(), MANY);
        }
    }

    private void ranges(HikariDataSource pool, Dibs dibs) throws Exception {
        try (Jobs jobs = new Jobs(pool(), MANY)) {
            check(jobs.ranges(dibs).build(), MANY);
        }
    }

    private void runs(HikariDataSource pool, Dibs dibs) throws Exception {
        String name = fresh("run");
        try (Jobs jobs = new Jobs(pool(), MANY);
                RunWorkers<?> workers = dibs.run(name)
                        .over(jobs.claims(dibs).build())
                        .maxAttempts(1)
                        .work(row -> {
                            if (row.asLong() % 10 == 3) {
                                throw new IllegalStateException("Zażółć 'x' \\");
                            }
                        })
                        .start()) {
            assertThat(workers.await(LONG)).isTrue();
            assertThat(jobs.done()).hasSize(MANY - 3);
            assertThat(dibs.run(name).dead(10)).hasSize(3);
            assertThat(dibs.run(name).errors(10)).hasSize(3);
        }
    }

    private void tokens(HikariDataSource pool, Dibs dibs) throws Exception {
        OneTimeTokens tokens = dibs.tokens(fresh("reset"))
                .pepper(new byte[32])
                .purgeEvery(Duration.ZERO)
                .keepFor(Duration.ZERO);
        String token = tokens.issue("ann", Duration.ofHours(1), "pay 'load' \\");
        tokens.issue("ann", Duration.ofHours(1));
        assertThat(tokens.list("ann")).hasSize(2);
        assertThat(tokens.consume(token).status()).isEqualTo(TokenStatus.OK);
        assertThat(tokens.consume(token).status()).isEqualTo(TokenStatus.USED);
        assertThat(tokens.consumeCode("ben", tokens.issueCode("ben", Duration.ofHours(1), 8))
                        .status())
                .isEqualTo(TokenStatus.OK);
        tokens.revokeAll("ann");
        Thread.sleep(5);
        assertThat(tokens.purge()).isPositive();
    }

    private void once(HikariDataSource pool, Dibs dibs) throws Exception {
        var work = dibs.once(fresh("report")).every(Duration.ofHours(1));
        assertThat(work.tryRun(lease -> {})).isEqualTo(OnceOutcome.RAN);
        assertThat(work.tryRun(lease -> {})).isEqualTo(OnceOutcome.NOT_DUE);
        assertThatThrownBy(() -> dibs.once(fresh("failing"))
                        .every(Duration.ofHours(1))
                        .tryRun(lease -> {
                            throw new IllegalStateException("Zażółć");
                        }))
                .isInstanceOf(IllegalStateException.class);
        assertThat(dibs.admin().onces()).hasSizeGreaterThan(1);
    }

    private void doctor(HikariDataSource pool, Dibs dibs) {
        assertThat(dibs.admin().doctor()).extracting(Finding::level).doesNotContain(Finding.Level.ERROR);
    }
}
