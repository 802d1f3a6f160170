package dev.dibs.contract.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import com.zaxxer.hikari.HikariDataSource;
import dev.dibs.Capability;
import dev.dibs.Dibs;
import dev.dibs.Finding;
import dev.dibs.Finding.Level;
import dev.dibs.contract.support.Fixture;
import dev.dibs.database.Sql;
import dev.dibs.internal.schema.Doctor;
import dev.dibs.internal.sql.run.Params;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The doctor names what keeps the database from removing old versions of rows, where that makes frequent calls slow. */
@Tag("contract")
class OldTransactionContract extends Fixture {

    private static final long HOUR = Duration.ofHours(1).toMillis();

    @Test
    void theOldestTransactionIsNamedWithItsAge() throws Exception {
        assumeFalse(database().sessionNumber().isEmpty(), "nothing is known of old transactions here");
        try (HikariDataSource far = database()
                        .pool(config -> config.setConnectionInitSql(database().farZone()));
                Connection old = open()) {
            String session = "session " + Sql.on(old).number(database().sessionNumber()) + " ";
            // Older ones of other tests end soon.
            await().atMost(SOON)
                    .untilAsserted(() -> assertThat(found(far, 0))
                            .anySatisfy(finding -> assertThat(finding.message())
                                    .startsWith(session)
                                    .contains(" has had a transaction open for 0 min"))
                            .allSatisfy(finding -> assertThat(finding.level()).isEqualTo(Level.WARNING)));
            assertThat(found(far, HOUR)).isEmpty();
            old.rollback();
        }
    }

    @Test
    void theRightToSeeTransactionsOfOthersIsNamed() throws Exception {
        assumeFalse(database().sessionNumber().isEmpty(), "nothing is known of old transactions here");
        assumeFalse(database().isGiven(), "a user may want a password");
        String prefix = prefix();
        String user = prefix + "user";
        sql().run(database().newUser(user));
        try (Dibs dibs = builder(pool()).tablePrefix(prefix).build();
                Connection old = open()) {
            dibs.admin().createSchema(Capability.LOCKS);
            sql().run("GRANT SELECT, INSERT, UPDATE, DELETE ON " + prefix + "lock TO " + user);
            try (HikariDataSource reader = database().poolOf(user);
                    Dibs theirs = builder(reader).tablePrefix(prefix).build()) {
                Finding finding = finding(theirs.admin().doctor(), "old transaction");
                assertThat(finding.level()).isEqualTo(Level.NOTE);
                assertThat(finding.message() + finding.remedy())
                        .contains(database().rightToSeeSessions());
            }
            old.rollback();
        } finally {
            sql().run("DROP TABLE " + prefix + "lock");
            sql().run("DROP USER " + user);
        }
    }

    private Connection open() throws SQLException {
        Connection old = pool().getConnection();
        old.setAutoCommit(false);
        Sql.on(old)
                .run("INSERT INTO dibs_lock (name, fence, acquired_at, held_until) VALUES ('" + fresh("old")
                        + "', 1, 1, 1)");
        return old;
    }

    private List<Finding> found(HikariDataSource from, long age) throws Exception {
        Params params = Params.none().with("age", age).with("behind", Long.MAX_VALUE);
        return asked(from, "dibs_")
                .call("check_cleanup", params, SOON, Doctor::finding)
                .rows();
    }
}
