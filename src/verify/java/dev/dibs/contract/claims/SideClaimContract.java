package dev.dibs.contract.claims;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.dibs.DatabaseFailureException;
import dev.dibs.Dibs;
import dev.dibs.claims.Claim;
import dev.dibs.claims.ClaimResult;
import dev.dibs.claims.NextClaim;
import dev.dibs.claims.RowClaims;
import dev.dibs.claims.RowKey;
import dev.dibs.contract.support.Fixture;
import dev.dibs.contract.support.SideJobs;
import dev.dibs.database.FaultyDataSource;
import dev.dibs.database.FullRun;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Claims on a table that has no column for them, each test with a table of its own. */
@Tag("contract")
class SideClaimContract extends Fixture {

    @Test
    void besidesTheTableClaimsInOrderAndNeverMoreThanAsked() throws Exception {
        try (SideJobs jobs = new SideJobs(pool(), 10);
                Dibs dibs = dibs()) {
            RowClaims<RowKey> claims = jobs.claims(dibs).build();
            assertThat(claims.count()).isEqualTo(10);
            try (Claim<RowKey> first = claims.claim(3);
                    Claim<RowKey> second = claims.claim(100)) {
                assertThat(first.keys()).extracting(RowKey::asLong).containsExactly(1L, 2L, 3L);
                assertThat(second.keys()).extracting(RowKey::asLong).containsExactly(4L, 5L, 6L, 7L, 8L, 9L, 10L);
                assertThat(claims.claim(1).isEmpty()).isTrue();
                assertThat(jobs.marks()).isEqualTo(10);
            }
            assertThat(jobs.marks()).as("no row is left of a released claim").isZero();
            assertThat(claims.claim(1).keys()).extracting(RowKey::asLong).containsExactly(1L);
        }
    }

    /** Autocommit on would commit what is left of a transaction whose rollback fails: its connection is not used again. */
    @Test
    void besidesTheTableARollbackThatFailsCommitsNothing() throws Exception {
        FaultyDataSource faulty = new FaultyDataSource(pool());
        try (SideJobs jobs = new SideJobs(pool(), 2);
                Dibs dibs = dibs(faulty)) {
            Claim<RowKey> claim = jobs.claims(dibs).build().claim(2);
            faulty.on("COMMIT"::equals).fail("40001", 1213);
            faulty.on("ROLLBACK"::equals).fail("40001", 1213);
            assertThat(claim.complete().isComplete()).isTrue();
            assertThat(jobs.completions()).containsExactly(2L, 2L);
        }
    }

    @Test
    void besidesTheTableMapsRows() throws Exception {
        try (SideJobs jobs = new SideJobs(pool(), 2);
                Dibs dibs = dibs()) {
            RowClaims<Long> claims = jobs.claims(dibs).orderBy("id DESC").build(row -> row.getLong("id") * 10);
            assertThat(claims.claim(2).rows()).containsExactly(20L, 10L);
        }
    }

    @Test
    void besidesTheTableCompletingSaysWhatWasLost() throws Exception {
        try (SideJobs jobs = new SideJobs(pool(), 4);
                Dibs dibs = dibs()) {
            RowClaims<RowKey> claims = jobs.claims(dibs).build();
            try (Claim<RowKey> claim = claims.claim(3)) {
                assertThat(claims.release(claim.token())).hasSize(3);
                try (Claim<RowKey> thief = claims.claim(1)) {
                    ClaimResult result = claim.complete();
                    assertThat(result.done()).isEmpty();
                    assertThat(result.lost()).containsExactlyElementsOf(claim.keys());
                    assertThat(thief.complete().done()).containsExactly(RowKey.of(1));
                }
            }
            assertThat(jobs.done()).containsExactly(1L);
            assertThat(jobs.marks()).isZero();
        }
    }

    @Test
    void besidesTheTableARowThatIsGoneIsLost() throws Exception {
        try (SideJobs jobs = new SideJobs(pool(), 2);
                Dibs dibs = dibs()) {
            Claim<RowKey> claim = jobs.claims(dibs).build().claim(2);
            jobs.run("DELETE FROM " + jobs.table() + " WHERE id = 1");
            ClaimResult result = claim.complete();
            assertThat(result.done()).containsExactly(RowKey.of(2));
            assertThat(result.lost()).containsExactly(RowKey.of(1));
            assertThat(jobs.marks()).isZero();
        }
    }

    @Test
    void besidesTheTableCompletingDeletes() throws Exception {
        try (SideJobs jobs = new SideJobs(pool(), 3);
                Dibs dibs = dibs()) {
            Claim<RowKey> claim = jobs.claims(dibs).completeDelete().build().claim(2);
            assertThat(claim.complete().done()).containsExactly(RowKey.of(1), RowKey.of(2));
            assertThat(jobs.numbers("SELECT id FROM " + jobs.table())).containsExactly(3L);
            assertThat(jobs.marks()).isZero();
        }
    }

    @Test
    void besidesTheTableCompletesSomeAndClaimsTheNext() throws Exception {
        try (SideJobs jobs = new SideJobs(pool(), 6);
                Dibs dibs = dibs()) {
            RowClaims<RowKey> claims = jobs.claims(dibs).build();
            Claim<RowKey> claim = claims.claim(3);
            NextClaim<RowKey> turn = claim.completeAndClaim(List.of(1, 3), 2);
            assertThat(turn.completed().done()).containsExactly(RowKey.of(1), RowKey.of(3));
            assertThat(turn.next().keys()).containsExactly(RowKey.of(4), RowKey.of(5));
            assertThat(claim.isHeld(2)).isTrue();
            claim.close();
            assertThat(turn.next().completeAndClaim(10).next().keys()).containsExactly(RowKey.of(2), RowKey.of(6));
            assertThat(jobs.done()).containsExactly(1L, 3L, 4L, 5L);
        }
    }

    @Test
    void besidesTheTableTheSameTokenAgainGivesTheSameRows() throws Exception {
        try (SideJobs jobs = new SideJobs(pool(), 6);
                Dibs dibs = dibs()) {
            RowClaims<RowKey> claims = jobs.claims(dibs).build();
            String token = RowClaims.newToken();
            List<RowKey> keys = claims.claim(token, 2).keys();
            assertThat(claims.claim(token, 2).keys()).isEqualTo(keys).hasSize(2);
            assertThat(claims.find(token).keys()).isEqualTo(keys);
        }
    }

    @Test
    @FullRun(except = "postgresql")
    void besidesTheTableAClaimIsRenewedUntilItIsClosed() throws Exception {
        try (SideJobs jobs = new SideJobs(pool(), 2);
                Dibs dibs = dibs()) {
            RowClaims<RowKey> claims = jobs.claims(dibs).leaseLength(RENEWED).build();
            String ofThese = " FROM dibs_claim WHERE scope = '" + jobs.table() + "'";
            try (Claim<RowKey> claim = claims.claim(2)) {
                long before = jobs.one("SELECT max(held_until)" + ofThese);
                await().until(() -> jobs.one("SELECT min(held_until)" + ofThese) > before);
                assertThat(claims.claim(2).isEmpty()).isTrue();
                assertThat(claim.isValid()).isTrue();
                assertThat(claim.renew().done()).hasSize(2);
            }
            // A renewal that is running keeps the rows from being released at once.
            await().atMost(Duration.ofSeconds(20)).until(() -> isOfTwo(claims.claim(2)));
        }
    }

    private static boolean isOfTwo(Claim<RowKey> claim) {
        boolean both = claim.size() == 2;
        if (!both) {
            claim.close();
        }
        return both;
    }

    @Test
    @FullRun(except = "postgresql")
    void besidesTheTablePostponedRowsBecomeFree() throws Exception {
        try (SideJobs jobs = new SideJobs(pool(), 2);
                Dibs dibs = dibs()) {
            RowClaims<RowKey> claims = jobs.claims(dibs).build();
            try (Claim<RowKey> claim = claims.claim(2)) {
                assertThat(claim.postpone(List.of(1), Duration.ofMinutes(10)).done())
                        .containsExactly(RowKey.of(1));
            }
            assertThat(claims.claim(2).keys()).containsExactly(RowKey.of(2));
            String ofOne = " WHERE row_key = '1' AND scope = '" + jobs.table() + "'";
            assertThat(jobs.one("SELECT held_until FROM dibs_claim" + ofOne) - System.currentTimeMillis())
                    .isBetween(500_000L, 700_000L);
            jobs.run("UPDATE dibs_claim SET held_until = 1" + ofOne);
            assertThat(claims.claim(2).keys()).containsExactly(RowKey.of(1));
            assertThat(claims.count()).isEqualTo(2);
        }
    }

    @Test
    void besidesTheTableAClaimThatHasPassedIsTakenOver() throws Exception {
        try (SideJobs jobs = new SideJobs(pool(), 2);
                Dibs dibs = dibs()) {
            RowClaims<RowKey> claims = jobs.claims(dibs).build();
            Claim<RowKey> late = claims.claim(2);
            jobs.run("UPDATE dibs_claim SET held_until = 1 WHERE row_key = '1' AND scope = '" + jobs.table() + "'");
            Claim<RowKey> next = claims.claim(2);
            assertThat(next.keys()).containsExactly(RowKey.of(1));
            assertThat(late.complete().lost()).containsExactly(RowKey.of(1));
            assertThat(jobs.done()).containsExactly(2L);
            assertThat(next.complete().done()).containsExactly(RowKey.of(1));
            assertThat(jobs.completions()).containsExactly(2L, 2L);
        }
    }

    @Test
    void besidesTheTableALateCompletionCountsIfNobodyCameFirst() throws Exception {
        try (SideJobs jobs = new SideJobs(pool(), 1);
                Dibs dibs = dibs()) {
            Claim<RowKey> late = jobs.claims(dibs).build().claim(1);
            jobs.run("UPDATE dibs_claim SET held_until = 1 WHERE scope = '" + jobs.table() + "'");
            assertThat(late.complete().done()).containsExactly(RowKey.of(1));
        }
    }

    @Test
    void besidesTheTableJoinsTheCallersTransaction() throws Exception {
        try (SideJobs jobs = new SideJobs(pool(), 3);
                Dibs dibs = dibs();
                Connection connection = pool().getConnection()) {
            RowClaims<RowKey> claims = jobs.claims(dibs).build();
            assertThatThrownBy(() -> claims.claim(connection, 1)).isInstanceOf(IllegalStateException.class);
            connection.setAutoCommit(false);
            assertThat(claims.claim(connection, 2).size()).isEqualTo(2);
            assertThat(claims.claim(3).keys()).as("locked rows are passed over").containsExactly(RowKey.of(3));
            connection.rollback();
            Claim<RowKey> own = claims.claim(2);
            assertThat(own.complete(connection, own.keys()).done()).hasSize(2);
            connection.rollback();
            assertThat(jobs.done()).isEmpty();
            assertThat(own.complete(connection, own.keys()).done()).hasSize(2);
            connection.commit();
            assertThat(jobs.done()).containsExactly(1L, 2L);
            connection.setAutoCommit(true);
        }
    }

    /** The row itself is never written, so no row lock shows that it is completed. */
    @Test
    void besidesTheTableAnEffectMayBeInAnotherTable() throws Exception {
        try (SideJobs jobs = new SideJobs(pool(), 3);
                Dibs dibs = dibs();
                Connection connection = pool().getConnection()) {
            RowClaims<RowKey> claims = jobs.logged(dibs).build();
            Claim<RowKey> claim = claims.claim(2);
            connection.setAutoCommit(false);
            jobs.log(connection, 1);
            assertThat(claim.complete(connection, List.of(1)).done()).containsExactly(RowKey.of(1));
            connection.commit();
            connection.setAutoCommit(true);
            claim.close();
            assertThat(claims.claim(3).keys()).containsExactly(RowKey.of(2), RowKey.of(3));
        }
    }

    @Test
    void besidesTheTableRowsDoneMeanwhileAreNotClaimed() throws Exception {
        Interruption interruption = new Interruption(pool());
        try (SideJobs jobs = new SideJobs(pool(), 3);
                Dibs dibs = dibs(interruption.dataSource())) {
            RowClaims<RowKey> claims = jobs.claims(dibs).build();
            interruption.beforeSecond(() -> {
                assertThat(jobs.marks()).as("claimed, but not yet read").isEqualTo(3);
                jobs.run("UPDATE " + jobs.table() + " SET done_at = 2 WHERE id = 2");
            });
            assertThat(claims.claim(3).keys()).containsExactly(RowKey.of(1), RowKey.of(3));
            assertThat(jobs.marks()).as("the claim on it is dropped").isEqualTo(2);
        }
    }

    @Test
    void besidesTheTableAFailureHalfWayLosesNothing() throws Exception {
        Interruption interruption = new Interruption(pool());
        try (SideJobs jobs = new SideJobs(pool(), 3);
                Dibs dibs = dibs(interruption.dataSource())) {
            RowClaims<RowKey> claims = jobs.claims(dibs).build();
            interruption.beforeSecond(() -> {
                throw new SQLException("the database is away");
            });
            Claim<RowKey> claim = claims.claim(2);
            assertThat(claim.keys()).containsExactly(RowKey.of(1), RowKey.of(2));
            assertThat(jobs.marks()).isEqualTo(2);
            assertThat(claim.complete().isComplete()).isTrue();
        }
    }

    @Test
    @FullRun(except = "postgresql")
    void besidesTheTableAnyKeyIsFine() throws Exception {
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
        String table =
                "any_" + COUNT.incrementAndGet() + "_" + ProcessHandle.current().pid();
        try (SideJobs jobs = new SideJobs(pool(), 0);
                Dibs dibs = dibs()) {
            jobs.run("CREATE TABLE " + table + " (id " + type + " NOT NULL PRIMARY KEY, done_at bigint)");
            jobs.run("INSERT INTO " + table + " (id) VALUES (" + literal + ")");
            RowClaims<RowKey> claims = dibs.claims(table)
                    .key("id")
                    .sideTable()
                    .where("done_at IS NULL")
                    .completeSet("done_at = 1")
                    .build();
            Claim<RowKey> claim = claims.claim(1);
            assertThat(claim.keys()).as(type).containsExactly(RowKey.of(key));
            assertThat(claim.renew().done()).as(type).hasSize(1);
            assertThat(claim.complete(List.of(key)).done()).as(type).hasSize(1);
            jobs.run("DROP TABLE " + table);
        }
    }

    @Test
    void besidesTheTableAKeyMayHaveSeveralColumns() throws Exception {
        String table = "pair_" + COUNT.incrementAndGet() + "_"
                + ProcessHandle.current().pid();
        try (SideJobs jobs = new SideJobs(pool(), 0);
                Dibs dibs = dibs()) {
            jobs.run("CREATE TABLE " + table
                    + " (a varchar(40) NOT NULL, b varchar(40) NOT NULL, done_at bigint, PRIMARY KEY (a, b))");
            jobs.run("INSERT INTO " + table + " (a, b) VALUES ('x,y', 'z')");
            jobs.run("INSERT INTO " + table + " (a, b) VALUES ('x', 'y,z')");
            RowClaims<RowKey> claims = dibs.claims(table)
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
            jobs.run("DROP TABLE " + table);
        }
    }

    @Test
    void besidesTheTableAKeyIsOfATypeThatAllWriteAlike() throws Exception {
        String table = "times_" + COUNT.incrementAndGet() + "_"
                + ProcessHandle.current().pid();
        try (SideJobs jobs = new SideJobs(pool(), 0);
                Dibs dibs = dibs()) {
            jobs.run("CREATE TABLE " + table + " (id date NOT NULL PRIMARY KEY)");
            assertThatThrownBy(() -> dibs.claims(table).key("id").sideTable().build())
                    .isInstanceOf(DatabaseFailureException.class)
                    .hasMessageContaining("sideTable()");
            jobs.run("DROP TABLE " + table);
        }
    }
}
