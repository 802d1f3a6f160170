package dev.dibs.database;

import static org.assertj.core.api.Assertions.assertThat;

import dev.dibs.Dibs;
import dev.dibs.Finding;
import dev.dibs.RowClaims;
import dev.dibs.RowKey;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.Test;

/** The contracts on PostgreSQL. */
@UsesDatabase(PostgresDatabase.class)
class PostgresTest extends DibsContract {

    /** Full pages and an index of what a claim changes each cost it writes elsewhere. */
    @Test
    void saysWhatMakesAClaimWriteMore() throws SQLException {
        run("CREATE TABLE \"Hot\" (id bigint PRIMARY KEY, token varchar(32), until bigint)");
        try (Dibs dibs = dibs()) {
            RowClaims<RowKey> claims = dibs.claims("\"Hot\"")
                    .key("id")
                    .token("token")
                    .until("until")
                    .build();
            assertThat(claims.doctor())
                    .extracting(Finding::subject)
                    .contains("claims fillfactor")
                    .doesNotContain("claims HOT updates");
            run("ALTER TABLE \"Hot\" SET (fillfactor = 70)");
            run("CREATE INDEX hot_until ON \"Hot\" (id, until)");
            assertThat(claims.doctor())
                    .noneMatch(finding -> finding.subject().equals("claims fillfactor"))
                    .anyMatch(finding -> finding.subject().equals("claims HOT updates")
                            && finding.message().contains("hot_until contains until"));
        } finally {
            run("DROP TABLE \"Hot\"");
        }
    }

    private void run(String sql) throws SQLException {
        try (Connection connection = pool().getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }
}
