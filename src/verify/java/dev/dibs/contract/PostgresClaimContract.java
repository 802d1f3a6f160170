package dev.dibs.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.dibs.Dibs;
import dev.dibs.Finding;
import dev.dibs.claims.RowClaims;
import dev.dibs.claims.RowKey;
import dev.dibs.database.OnEachDatabase;
import dev.dibs.database.PostgresDatabase;
import dev.dibs.internal.claims.PlannedClaims;
import dev.dibs.internal.sql.ColumnInfo;
import dev.dibs.internal.sql.Database;
import dev.dibs.internal.sql.Params;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Types;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Findings about claims, and their effects, on PostgreSQL alone: fill factor, VACUUM, partitions. */
@Tag("contract")
@OnEachDatabase(PostgresDatabase.class)
class PostgresClaimContract extends Fixture {

    /** Full pages, and an index on a column that a claim changes, both cost it more writes. */
    @Test
    void saysWhatMakesAClaimWriteMore() throws SQLException {
        run("CREATE TABLE \"Hot\" (id bigint PRIMARY KEY, token varchar(32), until bigint)");
        try (Dibs dibs = dibs()) {
            RowClaims<RowKey> claims = claims(dibs, "\"Hot\"");
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

    /** A claim walks past each entry that a completed row has left in the index. */
    @Test
    void saysWhatKeepsFinishedRowsInTheIndex() throws SQLException {
        run("CREATE TABLE \"Queue\" (id bigint PRIMARY KEY, token varchar(32), until bigint)");
        try (Dibs dibs = dibs()) {
            RowClaims<RowKey> claims = claims(dibs, "\"Queue\"");
            assertThat(aboutVacuum(claims)).as("few rows").isEmpty();
            run("UPDATE pg_class SET reltuples = 5000000 WHERE relname = 'Queue'");
            assertThat(aboutVacuum(claims)).as("a fifth of them").contains("up to 1000050 finished rows");
            run("ALTER TABLE \"Queue\" SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 10000)");
            assertThat(aboutVacuum(claims)).as("2 % of the pages").contains("up to 100000 finished rows");
            run("ALTER TABLE \"Queue\" SET (vacuum_index_cleanup = on)");
            assertThat(aboutVacuum(claims)).as("as advised").isEmpty();
            run("ALTER TABLE \"Queue\" SET (autovacuum_enabled = false)");
            assertThat(aboutVacuum(claims)).contains("autovacuum is off");
        } finally {
            run("DROP TABLE \"Queue\"");
        }
    }

    private static RowClaims<RowKey> claims(Dibs dibs, String table) {
        return dibs.claims(table).key("id").token("token").until("until").build();
    }

    private static String aboutVacuum(RowClaims<RowKey> claims) {
        return claims.doctor().stream()
                .filter(finding -> finding.subject().equals("claims vacuum"))
                .map(Finding::message)
                .collect(Collectors.joining());
    }

    /** The first row of each partition has the same ctid. */
    @Test
    void completionsOfManyFindTheirRowsInPartsOfATable() throws Exception {
        run(
                "CREATE TABLE parted (id bigint PRIMARY KEY, done_at bigint, token varchar(32), until bigint) PARTITION BY LIST (id)");
        try {
            for (int id = 1; id <= 4; id++) {
                run("CREATE TABLE parted_" + id + " PARTITION OF parted FOR VALUES IN (" + id + ")");
                run("INSERT INTO parted VALUES (" + id + ", NULL, 'token-" + id + "', 1)");
            }
            Database database = asked(
                    pool(),
                    PlannedClaims.ofTable(
                            asked(pool(), "dibs_").statements(),
                            "parted",
                            new ColumnInfo("id", Types.BIGINT, "int8", 19, 0),
                            "token",
                            "until",
                            "done_at = 1"));
            Params params =
                    Params.none().withKeys(List.of(List.of("1", "2", "4")), List.of("token-1", "token-3", "token-4"));
            for (String statement : List.of("complete_each_rows", "delete_each_rows")) {
                assertThat(database.call(statement, params, LeaseTable.TIMEOUT, row -> row.getString("dibs_asker"))
                                .rows())
                        .containsExactlyInAnyOrder("token-1", "token-4");
                run("UPDATE parted SET token = concat('token-', id)");
            }
        } finally {
            run("DROP TABLE parted");
        }
    }

    private void run(String sql) throws SQLException {
        try (Connection connection = pool().getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }
}
