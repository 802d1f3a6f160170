package dev.dibs.contract.schema;

import com.zaxxer.hikari.HikariDataSource;
import dev.dibs.Capability;
import dev.dibs.Dibs;
import dev.dibs.Finding;
import dev.dibs.Finding.Level;
import dev.dibs.claims.RowClaims;
import dev.dibs.claims.RowKey;
import dev.dibs.contract.support.ContractFixture;
import dev.dibs.database.OnEachDatabase;
import dev.dibs.database.PostgresDatabase;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Row-level security hides rows, or leaves them unchanged, without an error. The doctor names it where it applies to its user. */
@OnEachDatabase(PostgresDatabase.class)
class RowSecurityContract extends ContractFixture {

    private static final String SUBJECT = "claims row-level security";

    private String prefix;
    private String user;
    private HikariDataSource users;

    @BeforeEach
    void makeUser() throws SQLException {
        prefix = ownPrefix();
        user = newUser(prefix);
        dibs(pool(), prefix).admin().createSchema(Capability.LOCKS, Capability.CLAIMS);
        for (String table : List.of("lock", "claim", "range")) {
            sql().run("GRANT SELECT, INSERT, UPDATE, DELETE ON " + prefix + table + " TO " + user);
        }
        users = closing(database().poolOf(user));
    }

    @Test
    void aTableOfTheUserIsNamedWithItsConsequence() throws SQLException {
        String table = table("id bigint NOT NULL PRIMARY KEY, token varchar(40), until bigint, done_at bigint");
        sql().run("GRANT SELECT, UPDATE ON " + table + " TO " + user);
        Dibs dibs = dibs(users, prefix);
        RowClaims<RowKey> inTable = dibs.claims(table)
                .key("id")
                .token("token")
                .until("until")
                .where("done_at IS NULL")
                .completeSet("done_at = 1")
                .build();
        RowClaims<RowKey> beside = dibs.claims(table).key("id").sideTable().build();
        for (RowClaims<RowKey> claims : List.of(inTable, beside)) {
            assertThat(named(claims)).as("without policies").isEmpty();
        }
        sql().run("CREATE POLICY sees ON " + table + " FOR SELECT TO " + user + " USING (id > 1)");
        assertThat(named(inTable)).as("policies that do not apply").isEmpty();
        sql().run("ALTER TABLE " + table + " ENABLE ROW LEVEL SECURITY");
        for (RowClaims<RowKey> claims : List.of(inTable, beside)) {
            assertThat(named(claims)).singleElement().satisfies(finding -> {
                assertThat(finding.level()).isEqualTo(Level.WARNING);
                assertThat(finding.message())
                        .startsWith(table + " has row-level security that applies to " + user)
                        .contains("no policy lets it change a row");
                assertThat(finding.remedy()).contains("BYPASSRLS");
            });
        }
        sql().run("CREATE POLICY changes ON " + table + " FOR UPDATE USING (true)");
        assertThat(named(inTable)).singleElement().satisfies(finding -> {
            assertThat(finding.level()).isEqualTo(Level.NOTE);
            assertThat(finding.message()).contains("stay open, without an error");
        });
        sql().run("DROP POLICY sees ON " + table);
        assertThat(named(inTable))
                .singleElement()
                .extracting(Finding::message)
                .asString()
                .contains("no policy lets it see a row");
        RowClaims<RowKey> owners = here().claims(table).key("id").token("token").build();
        assertThat(named(owners)).as("it does not apply to the owner").isEmpty();
    }

    @Test
    void aTableBehindAViewIsNamed() throws SQLException {
        String table = table("id bigint NOT NULL PRIMARY KEY, token varchar(40), until bigint");
        String view = prefix + "view";
        sql().run("CREATE VIEW " + view + " AS SELECT * FROM " + table);
        closing(() -> sql().run("DROP VIEW " + view));
        sql().run("ALTER TABLE " + table + " ENABLE ROW LEVEL SECURITY");
        sql().run("GRANT SELECT, UPDATE ON " + view + " TO " + user);
        RowClaims<RowKey> claims = dibs(users, prefix)
                .claims(view)
                .key("id")
                .token("token")
                .uniqueKey()
                .build();
        assertThat(named(claims))
                .singleElement()
                .extracting(Finding::message)
                .asString()
                .startsWith(table);
    }

    private static List<Finding> named(RowClaims<RowKey> claims) {
        return claims.doctor().stream()
                .filter(finding -> finding.subject().equals(SUBJECT))
                .toList();
    }

    @Test
    void aTableOfDibsIsNamedByAWarning() throws SQLException {
        Dibs dibs = dibs(users, prefix);
        sql().run("CREATE POLICY all_rows ON " + prefix + "claim USING (true)");
        assertThat(dibs.admin().doctor()).noneMatch(finding -> finding.subject().equals("row-level security"));
        sql().run("ALTER TABLE " + prefix + "claim ENABLE ROW LEVEL SECURITY");
        assertThat(finding(dibs.admin().doctor(), "row-level security")).satisfies(finding -> {
            assertThat(finding.level()).isEqualTo(Level.WARNING);
            assertThat(finding.message()).contains(" applies to " + user + " on " + prefix + "claim:");
            assertThat(finding.remedy()).contains("DISABLE ROW LEVEL SECURITY");
        });
        assertThat(dibs(pool(), prefix).admin().doctor())
                .as("it does not apply to the owner")
                .noneMatch(finding -> finding.subject().equals("row-level security"));
    }
}
