package dev.dibs.contract.schema;

import com.zaxxer.hikari.HikariDataSource;
import dev.dibs.Dibs;
import dev.dibs.Finding;
import dev.dibs.Finding.Level;
import dev.dibs.contract.support.ContractFixture;
import dev.dibs.database.OnEachDatabase;
import dev.dibs.database.PostgresDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Tables that Citus has distributed, by a table like the one in which Citus lists them. There is no Citus here. */
@OnEachDatabase(PostgresDatabase.class)
class CitusContract extends ContractFixture {

    private static final String SCHEMA = "like_citus";

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
