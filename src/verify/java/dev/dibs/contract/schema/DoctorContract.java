package dev.dibs.contract.schema;

import static org.assertj.core.api.Assertions.assertThat;

import dev.dibs.Capability;
import dev.dibs.Dibs;
import dev.dibs.Finding;
import dev.dibs.Finding.Level;
import dev.dibs.claims.RowClaims;
import dev.dibs.claims.RowKey;
import dev.dibs.contract.support.Fixture;
import dev.dibs.contract.support.OpenTable;
import dev.dibs.database.FaultyDataSource;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A check of the doctor that fails is a finding, and keeps no other check from being made. */
@Tag("contract")
class DoctorContract extends Fixture {

    /** Unknown to all databases. */
    private static final String UNKNOWN_STATE = "ZZ999";

    @Test
    void eachStatementOfTheDoctorMayFail() throws Exception {
        FaultyDataSource faulty = new FaultyDataSource(pool());
        String prefix = prefix();
        try (Dibs dibs = builder(faulty).tablePrefix(prefix).build();
                Connection connection = pool().getConnection()) {
            dibs.admin().createSchema(Capability.LOCKS);
            assertThat(subjects(dibs.admin().doctor())).contains("database", "tables", "rights", "trial lock", "clock");
            eachMayFail(faulty, dibs.admin()::doctor, Set.of("settings"));
            run(connection, "DROP TABLE " + prefix + "lock");
        }
    }

    @Test
    void eachStatementOfTheDoctorOfClaimsMayFail() throws Exception {
        FaultyDataSource faulty = new FaultyDataSource(pool());
        try (OpenTable table = new OpenTable(pool(), "id bigint NOT NULL PRIMARY KEY");
                Dibs dibs = dibs(faulty)) {
            RowClaims<RowKey> claims = table.claims(dibs).build();
            assertThat(subjects(claims.doctor())).contains("claims table", "claims key", "claims index");
            eachMayFail(faulty, claims::doctor, Set.of("claims index", "claims storage"));
        }
    }

    @Test
    void withoutAConnectionTheDoctorSaysSoForEachCheck() {
        FaultyDataSource faulty = new FaultyDataSource(pool());
        try (Dibs dibs = dibs(faulty)) {
            faulty.exhaust(Duration.ZERO);
            List<Finding> found = dibs.admin().doctor();
            assertThat(finding(found, "connection").level()).isEqualTo(Level.ERROR);
            assertThat(subjects(found)).contains("tables", "rights", "trial lock", "settings", "file", "clock");
            assertThat(found).extracting(Finding::level).allMatch(level -> level.compareTo(Level.WARNING) >= 0);
            assertThat(faulty.refused()).as("requests for a connection").hasSizeLessThan(4);
        }
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
}
