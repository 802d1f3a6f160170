package dev.dibs.contract.schema;

import static org.junit.jupiter.api.Assumptions.assumeFalse;

import com.zaxxer.hikari.HikariDataSource;
import dev.dibs.Capability;
import dev.dibs.Dibs;
import dev.dibs.Finding;
import dev.dibs.Finding.Level;
import dev.dibs.Lease;
import dev.dibs.claims.RowClaims;
import dev.dibs.claims.RowKey;
import dev.dibs.contract.support.ContractFixture;
import dev.dibs.contract.support.OpenTable;
import dev.dibs.database.FaultyDataSource;
import dev.dibs.once.OnceOutcome;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * A check of the doctor that fails is a finding, and keeps no other check from being made. The doctor names what keeps the database from
 * removing old versions of rows, and what was stored while its clock was far ahead.
 */
class DoctorContract extends ContractFixture {
    /** Unknown to all databases. */
    private static final String UNKNOWN_STATE = "ZZ999";

    private static final long YEAR = Duration.ofDays(365).toMillis();

    @Test
    void eachStatementOfTheDoctorMayFail() throws Exception {
        String prefix = prefix();
        Dibs dibs = dibs(faulty(), prefix);
        Connection connection = connection();
        dibs.admin().createSchema(Capability.LOCKS);
        assertThat(subjects(dibs.admin().doctor())).contains("database", "tables", "rights", "trial lock", "clock");
        eachMayFail(faulty(), dibs.admin()::doctor, Set.of("settings"));
        run(connection, "DROP TABLE " + prefix + "lock");
    }

    @Test
    void eachStatementOfTheDoctorOfClaimsMayFail() throws Exception {
        OpenTable table = closing(new OpenTable(pool(), "id bigint NOT NULL PRIMARY KEY"));
        RowClaims<RowKey> claims = table.claims(overFaulty()).build();
        assertThat(subjects(claims.doctor())).contains("claims table", "claims key", "claims index");
        eachMayFail(faulty(), claims::doctor, Set.of("claims index", "claims storage"));
    }

    @Test
    void withoutAConnectionTheDoctorSaysSoForEachCheck() {
        Dibs dibs = overFaulty();
        faulty().exhaust(Duration.ZERO);
        List<Finding> found = dibs.admin().doctor();
        assertLevel(Level.ERROR, found, "connection");
        assertThat(subjects(found)).contains("tables", "rights", "trial lock", "settings", "file", "clock");
        assertThat(found).extracting(Finding::level).allMatch(level -> level.compareTo(Level.WARNING) >= 0);
        assertThat(faulty().refused()).as("requests for a connection").hasSizeLessThan(4);
    }

    /**
     * Spoils one execution after the other, until the doctor has no more.
     *
     * @param several the subjects of failed statements that else have findings of several subjects
     */
    private static void eachMayFail(FaultyDataSource faulty, Supplier<List<Finding>> doctor, Set<String> several) {
        Set<String> sound = subjects(doctor.get());
        for (int n = 1; ; n++) {
            int before = faulty.struck().size();
            faulty.on(sql -> true).time(n).here().fail(UNKNOWN_STATE, 0);
            List<Finding> found = doctor.get();
            faulty.heal();
            if (faulty.struck().size() == before) {
                assertThat(n).as("executions").isGreaterThan(1);
                return;
            }
            String struck = faulty.struck().get(before);
            List<Finding> failed = found.stream()
                    .filter(finding -> finding.message().contains("planted failure"))
                    .toList();
            assertThat(failed)
                    .as(struck)
                    .hasSizeLessThan(2)
                    .noneMatch(one -> one.level().compareTo(Level.WARNING) < 0);
            if (failed.stream().noneMatch(one -> several.contains(one.subject()))) {
                assertThat(subjects(found)).as(struck).containsAll(sound);
            }
        }
    }

    private static Set<String> subjects(List<Finding> findings) {
        return findings.stream().map(Finding::subject).collect(Collectors.toSet());
    }

    @Test
    void theRightToSeeTransactionsOfOthersIsNamed() throws Exception {
        assumeFalse(database().sessionNumber().isEmpty(), "nothing is known of old transactions here");
        String prefix = ownPrefix();
        String user = newUser(prefix);
        dibs(pool(), prefix).admin().createSchema(Capability.LOCKS);
        sql().run("GRANT SELECT, INSERT, UPDATE, DELETE ON " + prefix + "lock TO " + user);
        Connection old = transaction();
        run(
                old,
                "INSERT INTO dibs_lock (name, fence, acquired_at, held_until) VALUES ('" + fresh("old")
                        + "', 1, 1, 1)");
        HikariDataSource reader = closing(database().poolOf(user));
        Finding finding = finding(dibs(reader, prefix).admin().doctor(), "old transaction");
        assertThat(finding.level()).isEqualTo(Level.NOTE);
        assertThat(finding.message() + finding.remedy()).contains(database().rightToSeeSessions());
        old.rollback();
    }

    @Test
    void workThatWasDoneInTheFutureIsFoundAndCanBeForgotten() throws Exception {
        String prefix = ownPrefix();
        Dibs dibs = dibs(pool(), prefix);
        dibs.admin().createSchema(Capability.ONCE, Capability.LOCKS);
        dibs.once("nightly").every(Duration.ofHours(1)).tryRun(lease -> {});
        assertThat(ahead(dibs)).isEmpty();
        sql().run("UPDATE " + prefix + "once SET succeeded_at = succeeded_at + " + YEAR);
        assertThat(dibs.once("nightly").every(Duration.ofHours(1)).tryRun(lease -> {}))
                .isEqualTo(OnceOutcome.NOT_DUE);
        assertThat(ahead(dibs)).singleElement().satisfies(finding -> {
            assertThat(finding.level()).isEqualTo(Level.WARNING);
            assertThat(finding.message()).contains(": nightly: work that is done once a period");
            assertThat(finding.remedy()).contains("dibs once NAME --forget");
        });
        dibs.once("nightly").forget();
        assertThat(ahead(dibs)).isEmpty();
        assertThat(dibs.once("nightly").every(Duration.ofHours(1)).tryRun(lease -> {}))
                .isEqualTo(OnceOutcome.RAN);
    }

    @Test
    void aLeaseOfTheFutureIsFoundAndCanBeBroken() throws Exception {
        String prefix = ownPrefix();
        Dibs dead = dibs(pool(), prefix);
        Dibs dibs = dibs(pool(), prefix);
        dibs.admin().createSchema(Capability.LOCKS);
        Lease lease = dead.lock("job").tryAcquire().orElseThrow();
        assertThat(ahead(dibs)).isEmpty();
        sql().run("UPDATE " + prefix + "lock SET acquired_at = acquired_at + " + YEAR + ", held_until = held_until + "
                + YEAR);
        assertThat(ahead(dibs))
                .singleElement()
                .satisfies(finding -> assertThat(finding.message()).contains(": job: held"));
        dibs.admin().breakLock("job");
        assertThat(ahead(dibs)).isEmpty();
        dibs.lock("job").tryAcquire().orElseThrow().close();
        lease.close();
    }

    private static List<Finding> ahead(Dibs dibs) {
        return dibs.admin().doctor().stream()
                .filter(finding -> finding.subject().equals("times ahead"))
                .toList();
    }
}
