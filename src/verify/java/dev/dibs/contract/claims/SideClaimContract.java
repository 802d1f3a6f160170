package dev.dibs.contract.claims;

import dev.dibs.claims.Claim;
import dev.dibs.claims.ClaimResult;
import dev.dibs.claims.RowClaims;
import dev.dibs.claims.RowKey;
import dev.dibs.contract.support.ContractFixture;
import dev.dibs.contract.support.SideJobs;
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
        SideJobs jobs = sideJobs(2);
        Claim<RowKey> claim = jobs.claims(overFaulty()).build().claim(2);
        faulty().on("COMMIT"::equals).fail("40001", 1213);
        faulty().on("ROLLBACK"::equals).fail("40001", 1213);
        assertThat(claim.complete().isComplete()).isTrue();
        assertThat(jobs.completions()).containsExactly(2L, 2L);
    }

    @Test
    void deletedRowOfASideClaimIsLost() throws Exception {
        SideJobs jobs = sideJobs(2);
        Claim<RowKey> claim = jobs.claims(here()).build().claim(2);
        jobs.run("DELETE FROM " + jobs.table() + " WHERE id = 1");
        ClaimResult result = claim.complete();
        assertThat(result.done()).isEqualTo(keys(2));
        assertThat(result.lost()).isEqualTo(keys(1));
        assertThat(jobs.claimed()).isZero();
    }

    @Test
    void sideCompletionDeletesRows() throws Exception {
        SideJobs jobs = sideJobs(3);
        assertThat(jobs.claims(here())
                        .completeDelete()
                        .build()
                        .claim(2)
                        .complete()
                        .done())
                .isEqualTo(keys(1, 2));
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
        assertThat(next.keys()).isEqualTo(keys(1));
        assertThat(late.complete().lost()).isEqualTo(keys(1));
        assertThat(jobs.done()).containsExactly(2L);
        assertThat(next.complete().done()).isEqualTo(keys(1));
        assertThat(jobs.completions()).containsExactly(2L, 2L);
    }

    @Test
    void lateSideCompletionCountsIfNobodyCameFirst() throws Exception {
        SideJobs jobs = sideJobs(1);
        Claim<RowKey> late = jobs.claims(here()).build().claim(1);
        jobs.run("UPDATE dibs_claim SET held_until = 1 WHERE scope = '" + jobs.table() + "'");
        assertThat(late.complete().done()).isEqualTo(keys(1));
    }

    /** The row itself is never written, so no row lock shows that it is completed. */
    @Test
    void effectOfASideClaimMayBeInAnotherTable() throws Exception {
        SideJobs jobs = sideJobs(3);
        Connection connection = transaction();
        RowClaims<RowKey> claims = jobs.logged(here()).build();
        Claim<RowKey> claim = claims.claim(2);
        jobs.log(connection, 1);
        assertThat(claim.complete(connection, keys(1)).done()).isEqualTo(keys(1));
        connection.commit();
        claim.close();
        assertThat(claims.claim(3).keys()).isEqualTo(keys(2, 3));
    }

    @Test
    void sideClaimSkipsRowsDoneMeanwhile() throws Exception {
        SideJobs jobs = sideJobs(3);
        RowClaims<RowKey> claims = jobs.claims(overFaulty()).build();
        faulty().actBetween(() -> {
            assertThat(jobs.claimed()).as("claimed, but not yet read").isEqualTo(3);
            jobs.run("UPDATE " + jobs.table() + " SET done_at = 2 WHERE id = 2");
        });
        assertThat(claims.claim(3).keys()).isEqualTo(keys(1, 3));
        assertThat(jobs.claimed()).as("the claim on it is dropped").isEqualTo(2);
    }

    @Test
    void sideCompletionThatFailsHalfWayLosesNothing() throws Exception {
        SideJobs jobs = sideJobs(3);
        RowClaims<RowKey> claims = jobs.claims(overFaulty()).build();
        faulty().actBetween(() -> {
            throw new SQLException("the database is away");
        });
        Claim<RowKey> claim = claims.claim(2);
        assertThat(claim.keys()).isEqualTo(keys(1, 2));
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
        KeyTable table = closing(new KeyTable(this, "id " + type + " NOT NULL", "id"));
        table.insertText(literal);
        Claim<RowKey> claim = table.besides(here()).build().claim(1);
        assertThat(claim.keys()).as(type).containsExactly(RowKey.of(key));
        assertThat(claim.renew().done()).as(type).hasSize(1);
        assertThat(claim.complete(List.of(RowKey.of(key))).done()).as(type).hasSize(1);
    }

    @Test
    void sideKeyMayHaveSeveralColumns() throws Exception {
        KeyTable table = closing(new KeyTable(this, "a varchar(40) NOT NULL, b varchar(40) NOT NULL", "a, b"));
        table.insert("x,y", "z");
        table.insert("x", "y,z");
        RowClaims<RowKey> claims = table.besides(here()).build();
        Claim<RowKey> claim = claims.claim(2);
        assertThat(claim.keys()).containsExactlyInAnyOrder(RowKey.of("x,y", "z"), RowKey.of("x", "y,z"));
        assertThat(claim.complete(List.of(RowKey.of("x", "y,z"))).done()).hasSize(1);
        assertThat(claims.release(claim.token())).containsExactly(RowKey.of("x,y", "z"));
        assertThat(claims.claim(2).keys()).containsExactly(RowKey.of("x,y", "z"));
    }

    @Test
    void sideKeyHasATypeThatAllWriteAlike() throws Exception {
        assumeTypes();
        String table = table("id date NOT NULL PRIMARY KEY");
        assertFails(() -> here().claims(table).key("id").sideTable().build(), "sideTable()");
    }
}
