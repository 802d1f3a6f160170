package dev.dibs.contract.claims;

import dev.dibs.DatabaseFailureException;
import dev.dibs.Dibs;
import dev.dibs.claims.Claim;
import dev.dibs.claims.ClaimResult;
import dev.dibs.claims.KeyedRow;
import dev.dibs.claims.RowClaims;
import dev.dibs.claims.RowKey;
import dev.dibs.contract.support.ContractFixture;
import dev.dibs.contract.support.SideJobs;
import dev.dibs.database.FaultyDataSource;
import dev.dibs.database.FullTest;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Claims on a table that has no column for them: how they differ from others. {@link ClaimContract} has what all claims do. */
class SideClaimContract extends ContractFixture {

    /** Autocommit on would commit what is left of a transaction whose rollback fails: its connection is not used again. */
    @Test
    void failedRollbackOfASideClaimCommitsNothing() throws Exception {
        FaultyDataSource faulty = new FaultyDataSource(pool());
        SideJobs jobs = sideJobs(2);
        Dibs dibs = dibs(faulty);
        Claim<RowKey> claim = jobs.claims(dibs).build().claim(2);
        faulty.on("COMMIT"::equals).fail("40001", 1213);
        faulty.on("ROLLBACK"::equals).fail("40001", 1213);
        assertThat(claim.complete().isComplete()).isTrue();
        assertThat(jobs.completions()).containsExactly(2L, 2L);
    }

    @Test
    void sideClaimMapsRows() throws Exception {
        SideJobs jobs = sideJobs(2);
        RowClaims<Long> claims = jobs.claims(here()).orderBy("id DESC").build(row -> row.getLong("id") * 10);
        assertThat(claims.claim(2).rows())
                .containsExactly(new KeyedRow<>(RowKey.of(2), 20L), new KeyedRow<>(RowKey.of(1), 10L));
    }

    @Test
    void deletedRowOfASideClaimIsLost() throws Exception {
        SideJobs jobs = sideJobs(2);
        Claim<RowKey> claim = jobs.claims(here()).build().claim(2);
        jobs.run("DELETE FROM " + jobs.table() + " WHERE id = 1");
        ClaimResult result = claim.complete();
        assertThat(result.done()).containsExactly(RowKey.of(2));
        assertThat(result.lost()).containsExactly(RowKey.of(1));
        assertThat(jobs.claimed()).isZero();
    }

    @Test
    void sideCompletionDeletesRows() throws Exception {
        SideJobs jobs = sideJobs(3);
        Claim<RowKey> claim = jobs.claims(here()).completeDelete().build().claim(2);
        assertThat(claim.complete().done()).containsExactly(RowKey.of(1), RowKey.of(2));
        assertThat(jobs.numbers("SELECT id FROM " + jobs.table())).containsExactly(3L);
        assertThat(jobs.claimed()).isZero();
    }

    @Test
    void expiredSideClaimIsTakenOver() throws Exception {
        SideJobs jobs = sideJobs(2);
        RowClaims<RowKey> claims = jobs.claims(here()).build();
        Claim<RowKey> late = claims.claim(2);
        jobs.run("UPDATE dibs_claim SET held_until = 1 WHERE row_key = '1' AND scope = '" + jobs.table() + "'");
        Claim<RowKey> next = claims.claim(2);
        assertThat(next.keys()).containsExactly(RowKey.of(1));
        assertThat(late.complete().lost()).containsExactly(RowKey.of(1));
        assertThat(jobs.done()).containsExactly(2L);
        assertThat(next.complete().done()).containsExactly(RowKey.of(1));
        assertThat(jobs.completions()).containsExactly(2L, 2L);
    }

    @Test
    void lateSideCompletionCountsIfNobodyCameFirst() throws Exception {
        SideJobs jobs = sideJobs(1);
        Claim<RowKey> late = jobs.claims(here()).build().claim(1);
        jobs.run("UPDATE dibs_claim SET held_until = 1 WHERE scope = '" + jobs.table() + "'");
        assertThat(late.complete().done()).containsExactly(RowKey.of(1));
    }

    /** The row itself is never written, so no row lock shows that it is completed. */
    @Test
    void effectOfASideClaimMayBeInAnotherTable() throws Exception {
        SideJobs jobs = sideJobs(3);
        Connection connection = transaction();
        RowClaims<RowKey> claims = jobs.logged(here()).build();
        Claim<RowKey> claim = claims.claim(2);
        jobs.log(connection, 1);
        assertThat(claim.complete(connection, List.of(RowKey.of(1))).done()).containsExactly(RowKey.of(1));
        connection.commit();
        claim.close();
        assertThat(claims.claim(3).keys()).containsExactly(RowKey.of(2), RowKey.of(3));
    }

    @Test
    void sideClaimSkipsRowsDoneMeanwhile() throws Exception {
        Interruption interruption = new Interruption(pool());
        SideJobs jobs = sideJobs(3);
        Dibs dibs = dibs(interruption.dataSource());
        RowClaims<RowKey> claims = jobs.claims(dibs).build();
        interruption.beforeSecond(() -> {
            assertThat(jobs.claimed()).as("claimed, but not yet read").isEqualTo(3);
            jobs.run("UPDATE " + jobs.table() + " SET done_at = 2 WHERE id = 2");
        });
        assertThat(claims.claim(3).keys()).containsExactly(RowKey.of(1), RowKey.of(3));
        assertThat(jobs.claimed()).as("the claim on it is dropped").isEqualTo(2);
    }

    @Test
    void sideCompletionThatFailsHalfWayLosesNothing() throws Exception {
        Interruption interruption = new Interruption(pool());
        SideJobs jobs = sideJobs(3);
        Dibs dibs = dibs(interruption.dataSource());
        RowClaims<RowKey> claims = jobs.claims(dibs).build();
        interruption.beforeSecond(() -> {
            throw new SQLException("the database is away");
        });
        Claim<RowKey> claim = claims.claim(2);
        assertThat(claim.keys()).containsExactly(RowKey.of(1), RowKey.of(2));
        assertThat(jobs.claimed()).isEqualTo(2);
        assertThat(claim.complete().isComplete()).isTrue();
    }

    @FullTest(except = "postgresql")
    void sideClaimTakesAnyKey() throws Exception {
        assumeTypes();
        UUID uuid = UUID.fromString("00112233-4455-6677-8899-aabbccddeeff");
        assertKeys("char(36)", "'" + uuid + "'", uuid.toString());
        assertKeys("numeric(10,2)", "1.50", "1.50");
        assertKeys("integer", "-7", -7L);
        assertKeys("varchar(40)", "'it''s, \"x\" {y} ä'", "it's, \"x\" {y} ä");
        String uuidType = database().uuidType();
        if (!uuidType.equals("char(36)")) {
            assertKeys(uuidType, "'" + uuid + "'", uuid);
        }
    }

    private void assertKeys(String type, String literal, Object key) throws Exception {
        String table = table("id " + type + " NOT NULL PRIMARY KEY, done_at bigint");
        sql().run("INSERT INTO " + table + " (id) VALUES (" + literal + ")");
        RowClaims<RowKey> claims = here().claims(table)
                .key("id")
                .sideTable()
                .where("done_at IS NULL")
                .completeSet("done_at = 1")
                .build();
        Claim<RowKey> claim = claims.claim(1);
        assertThat(claim.keys()).as(type).containsExactly(RowKey.of(key));
        assertThat(claim.renew().done()).as(type).hasSize(1);
        assertThat(claim.complete(List.of(RowKey.of(key))).done()).as(type).hasSize(1);
    }

    @Test
    void sideKeyMayHaveSeveralColumns() throws Exception {
        String table = table("a varchar(40) NOT NULL, b varchar(40) NOT NULL, done_at bigint, PRIMARY KEY (a, b)");
        SideJobs jobs = sideJobs(0);
        jobs.run("INSERT INTO " + table + " (a, b) VALUES ('x,y', 'z')");
        jobs.run("INSERT INTO " + table + " (a, b) VALUES ('x', 'y,z')");
        RowClaims<RowKey> claims = here().claims(table)
                .key("a", "b")
                .sideTable()
                .where("done_at IS NULL")
                .completeSet("done_at = 1")
                .build();
        Claim<RowKey> claim = claims.claim(2);
        assertThat(claim.keys()).containsExactlyInAnyOrder(RowKey.of("x,y", "z"), RowKey.of("x", "y,z"));
        assertThat(jobs.isMarked(table, RowKey.of("x", "y,z"))).isTrue();
        assertThat(claim.complete(List.of(RowKey.of("x", "y,z"))).done()).hasSize(1);
        assertThat(claims.release(claim.token())).containsExactly(RowKey.of("x,y", "z"));
        assertThat(claims.claim(2).keys()).containsExactly(RowKey.of("x,y", "z"));
    }

    @Test
    void sideKeyHasATypeThatAllWriteAlike() throws Exception {
        assumeTypes();
        String table = table("id date NOT NULL PRIMARY KEY");
        assertThatThrownBy(() -> here().claims(table).key("id").sideTable().build())
                .isInstanceOf(DatabaseFailureException.class)
                .hasMessageContaining("sideTable()");
    }
}
