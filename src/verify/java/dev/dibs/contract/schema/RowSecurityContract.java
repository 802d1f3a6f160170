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
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * What the doctor finds on PostgreSQL alone: row-level security that applies to its user, which hides rows or leaves them unchanged without
 * an error, and tables that Citus has distributed, by a table like the one in which Citus lists them. There is no Citus here.
 */
@OnEachDatabase(PostgresDatabase.class)
class RowSecurityContract extends ContractFixture {
    private static final String SCHEMA = "like_citus";
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
        assertLevel(
                Level.WARNING,
                dibs.admin().doctor(),
                "row-level security",
                " applies to " + user + " on " + prefix + "claim:",
                "DISABLE ROW LEVEL SECURITY");
        assertThat(dibs(pool(), prefix).admin().doctor())
                .as("it does not apply to the owner")
                .noneMatch(finding -> finding.subject().equals("row-level security"));
    }

    @Test
    void theDoctorRefusesDistributedTables() throws SQLException {
        HikariDataSource pool = closing(database().pool(config -> {
            config.setMaximumPoolSize(2);
            config.setConnectionInitSql("SET search_path = " + SCHEMA);
        }));
        Connection connection = closing(pool.getConnection());
        Statement statement = closing(connection.createStatement());
        statement.execute("CREATE SCHEMA " + SCHEMA);
        closing(() -> statement.execute("DROP SCHEMA " + SCHEMA + " CASCADE"));
        Dibs dibs = closing(builder(pool).build());
        statement.execute("CREATE TABLE pg_dist_partition (logicalrelid regclass, partmethod \"char\")");
        dibs.admin().createSchema();
        assertThat(citus(dibs)).as("nothing is listed").isEmpty();

        statement.execute("CREATE TABLE mine (id int)");
        statement.execute("INSERT INTO pg_dist_partition VALUES ('mine', 'h'), ('dibs_lock', 'n')");
        assertThat(citus(dibs)).as("a table of the user's, and a local one").isEmpty();

        statement.execute("INSERT INTO pg_dist_partition VALUES ('dibs_run', 'h'), ('dibs_claim', 'h')");
        assertThat(citus(dibs)).hasValueSatisfying(finding -> {
            assertThat(finding.level()).isEqualTo(Level.ERROR);
            assertThat(finding.message()).contains("dibs_claim, dibs_run.").doesNotContain("mine", "lock");
            assertThat(finding.remedy()).contains("undistribute_table");
        });
    }

    private static Optional<Finding> citus(Dibs dibs) {
        return dibs.admin().doctor().stream()
                .filter(finding -> finding.subject().equals("citus"))
                .findFirst();
    }
}
