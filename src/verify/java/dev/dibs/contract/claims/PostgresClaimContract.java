package dev.dibs.contract.claims;

import static org.awaitility.Awaitility.await;

import dev.dibs.Dibs;
import dev.dibs.Finding;
import dev.dibs.claims.Claim;
import dev.dibs.claims.RowClaims;
import dev.dibs.claims.RowKey;
import dev.dibs.contract.support.ContractFixture;
import dev.dibs.contract.support.Jobs;
import dev.dibs.database.OnEachDatabase;
import dev.dibs.database.PostgresDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Findings about claims, and their effects, on PostgreSQL alone: fill factor, VACUUM, partitions. */
@OnEachDatabase(PostgresDatabase.class)
class PostgresClaimContract extends ContractFixture {

    /** An advisory lock that no other test uses. */
    private static final int GATE = 470_023;

    /** Full pages, and an index on a column that a claim changes, both cost it more writes. */
    @Test
    void doctorNamesTheReasonForExtraWrites() throws SQLException {
        sql().run("CREATE TABLE \"Hot\" (id bigint PRIMARY KEY, token varchar(32), until bigint)");
        closing(() -> sql().run("DROP TABLE \"Hot\""));
        RowClaims<RowKey> claims = claims(here(), "\"Hot\"");
        assertThat(claims.doctor())
                .extracting(Finding::subject)
                .contains("claims fillfactor")
                .doesNotContain("claims HOT updates");
        sql().run("ALTER TABLE \"Hot\" SET (fillfactor = 70)");
        sql().run("CREATE INDEX hot_until ON \"Hot\" (id, until)");
        assertThat(claims.doctor())
                .noneMatch(finding -> finding.subject().equals("claims fillfactor"))
                .anyMatch(finding -> finding.subject().equals("claims HOT updates")
                        && finding.message().contains("hot_until contains until"));
    }

    /** A claim walks past each entry that a completed row has left in the index. */
    @Test
    void doctorNamesATransactionThatKeepsFinishedRowsInTheIndex() throws SQLException {
        sql().run("CREATE TABLE \"Queue\" (id bigint PRIMARY KEY, token varchar(32), until bigint)");
        closing(() -> sql().run("DROP TABLE \"Queue\""));
        RowClaims<RowKey> claims = claims(here(), "\"Queue\"");
        assertThat(aboutVacuum(claims)).as("few rows").isEmpty();
        sql().run("UPDATE pg_class SET reltuples = 5000000 WHERE relname = 'Queue'");
        assertThat(aboutVacuum(claims)).as("a fifth of them").contains("up to 1000050 finished rows");
        sql().run(
                        "ALTER TABLE \"Queue\" SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 10000)");
        assertThat(aboutVacuum(claims)).as("2 % of the pages").contains("up to 100000 finished rows");
        sql().run("ALTER TABLE \"Queue\" SET (vacuum_index_cleanup = on)");
        assertThat(aboutVacuum(claims)).as("as advised").isEmpty();
        sql().run("ALTER TABLE \"Queue\" SET (autovacuum_enabled = false)");
        assertThat(aboutVacuum(claims)).contains("autovacuum is off");
    }

    /** A claim by a key of several columns looks for the place of a row, which is unique only within a part. */
    @Test
    void aClaimFindsItsRowsInPartsOfATable() throws SQLException {
        sql().run(
                        "CREATE TABLE pieces (part bigint, id bigint, token varchar(32), until bigint, PRIMARY KEY (part, id))"
                                + " PARTITION BY LIST (part)");
        closing(() -> sql().run("DROP TABLE pieces"));
        for (int part = 1; part <= 3; part++) {
            sql().run("CREATE TABLE pieces_" + part + " PARTITION OF pieces FOR VALUES IN (" + part + ")");
            sql().run("INSERT INTO pieces SELECT " + part + ", n FROM generate_series(1, 3) AS n");
        }
        RowClaims<RowKey> claims = here().claims("pieces")
                .key("part", "id")
                .token("token")
                .until("until")
                .orderBy("id, part")
                .build();
        Claim<RowKey> first = claims.claim(2);
        Claim<RowKey> second = claims.claim(2);
        assertThat(first.keys()).containsExactly(RowKey.of(1, 1), RowKey.of(2, 1));
        assertThat(second.keys()).containsExactly(RowKey.of(3, 1), RowKey.of(1, 2));
        assertThat(first.release(List.of(RowKey.of(2, 1))).done()).containsExactly(RowKey.of(2, 1));
        assertThat(claims.find(first.token()).keys()).containsExactly(RowKey.of(1, 1));
    }

    /** Others have locked the rows, changed them, and committed: they are as free as before, at another place. */
    @Test
    void aClaimFindsRowsThatAreWrittenWhileItRuns() throws Exception {
        Jobs jobs = jobs(3);
        Connection other = transaction();
        Statement statement = closing(other.createStatement());
        statement.execute("SELECT pg_advisory_xact_lock(" + GATE + ")");
        RowClaims<RowKey> claims = jobs.claims(here())
                .where("(SELECT count(*) FROM (SELECT pg_advisory_xact_lock(" + GATE + ")) AS waited) = 1")
                .build();
        CompletableFuture<Claim<RowKey>> claiming = CompletableFuture.supplyAsync(() -> claims.claim(3));
        String waiting =
                "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted AND objid = " + GATE;
        await().until(() -> jobs.one(waiting) > 0);
        jobs.run("UPDATE " + jobs.table() + " SET what = 'written'");
        other.commit();
        assertThat(claiming.get().keys()).isEqualTo(keys(1, 2, 3));
    }

    /** A key should be unique, and the user may say so wrongly. Even then nothing happens to a row of somebody else. */
    @Test
    void aRowOfAnotherUnderTheSameKeyStaysAsItIs() throws SQLException {
        sql().run("CREATE TABLE shared_key (id bigint, token varchar(32), until bigint)");
        String others = "SELECT count(*) FROM shared_key WHERE token = 'other' AND until = 9000000000000";
        closing(() -> sql().run("DROP TABLE shared_key"));
        sql().run("INSERT INTO shared_key VALUES (7, 'other', 9000000000000), (7, NULL, NULL)");
        RowClaims<RowKey> claims = here().claims("shared_key")
                .key("id")
                .uniqueKey()
                .token("token")
                .until("until")
                .build();
        try (Claim<RowKey> claim = claims.claim(2)) {
            assertThat(claim.keys()).isEqualTo(keys(7));
            assertThat(claim.renew().done()).isEqualTo(keys(7));
            assertThat(claim.release(claim.keys()).done()).isEqualTo(keys(7));
        }
        try (Claim<RowKey> claim = claims.claim(2)) {
            assertThat(claims.release(claim.token())).isEqualTo(keys(7));
        }
        assertThat(sql().number(others)).isEqualTo(1);
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

    @Test
    void anEnumerationWithAnyNameIsAKey() throws SQLException {
        for (String type : List.of("\"Status\"", "\"order\"", "\"a \"\" b\"")) {
            sql().run("CREATE TYPE " + type + " AS ENUM ('new', 'late')");
            sql().run("CREATE TABLE states (state " + type + " PRIMARY KEY, token varchar(32), until bigint)");
            try (Dibs dibs = dibs()) {
                sql().run("INSERT INTO states VALUES ('new'), ('late')");
                RowClaims<RowKey> claims = dibs.claims("states")
                        .key("state")
                        .token("token")
                        .until("until")
                        .where("until IS DISTINCT FROM 0")
                        .build();
                assertThat(claims.claim(2).complete().done()).as(type).hasSize(2);
            } finally {
                sql().run("DROP TABLE states");
                sql().run("DROP TYPE " + type);
            }
        }
    }
}
