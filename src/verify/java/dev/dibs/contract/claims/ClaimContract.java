package dev.dibs.contract.claims;

import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import dev.dibs.DatabaseFailureException;
import dev.dibs.Dibs;
import dev.dibs.claims.Claim;
import dev.dibs.claims.ClaimResult;
import dev.dibs.claims.KeyedRow;
import dev.dibs.claims.NextClaim;
import dev.dibs.claims.RowClaims;
import dev.dibs.claims.RowKey;
import dev.dibs.contract.support.ContractFixture;
import dev.dibs.contract.support.JobTable;
import dev.dibs.contract.support.Jobs;
import dev.dibs.contract.support.SideJobs;
import dev.dibs.database.Core;
import dev.dibs.database.FullTest;
import dev.dibs.database.Trait;
import java.sql.Connection;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Claims on rows of the user's own table, with columns for claims and without; each test with tables of its own. */
@Core
class ClaimContract extends ContractFixture {
    private interface Check {
        void on(JobTable jobs, Dibs dibs) throws Exception;
    }

    /** With columns for claims in the table, and without. */
    private void onBothTables(int rows, Check check) throws Exception {
        for (JobTable table : List.of(new Jobs(pool(), rows), new SideJobs(pool(), rows))) {
            try (JobTable jobs = table;
                    Dibs dibs = dibs()) {
                check.on(jobs, dibs);
            } catch (AssertionError e) {
                throw new AssertionError(table.getClass().getSimpleName() + ": " + e.getMessage(), e);
            }
        }
    }

    @Test
    void claimsInOrderAndNeverMoreThanAsked() throws Exception {
        onBothTables(10, (jobs, dibs) -> {
            RowClaims<RowKey> claims = jobs.claims(dibs).build();
            assertThat(claims.count()).isEqualTo(10);
            try (Claim<RowKey> first = claims.claim(3);
                    Claim<RowKey> second = claims.claim(100)) {
                assertThat(first.keys()).isEqualTo(keys(1, 2, 3));
                assertThat(second.keys()).isEqualTo(keys(4, 5, 6, 7, 8, 9, 10));
                assertThat(claims.claim(1).isEmpty()).isTrue();
                assertThat(jobs.until()).hasSize(10).allMatch(until -> until > 0);
            }
            assertThat(jobs.claimed()).as("nothing is left of a released claim").isZero();
            assertThat(claims.claim(1).keys()).isEqualTo(keys(1));
        });
    }

    @Test
    void completingRunsTheEffectAndReturnsLostRows() throws Exception {
        onBothTables(4, (jobs, dibs) -> {
            RowClaims<RowKey> claims = jobs.claims(dibs).build();
            Claim<RowKey> claim = claims.claim(3);
            assertThat(claims.release(claim.token())).hasSize(3);
            Claim<RowKey> thief = claims.claim(1);
            ClaimResult result = claim.complete();
            assertThat(result.done()).isEmpty();
            assertThat(result.lost()).containsExactlyElementsOf(claim.keys());
            assertThat(thief.complete().done()).isEqualTo(keys(1));
            assertThat(jobs.done()).containsExactly(1L);
            assertThat(jobs.claimed()).isZero();
        });
    }

    /** The user's own SQL completes the row, and may be refused. */
    @Test
    void aCompletionThatFailsChangesNothing() throws Exception {
        Jobs jobs = jobs(2);
        jobs.run("CREATE UNIQUE INDEX " + fresh("one").replace('-', '_') + " ON " + jobs.table() + " (what)");
        RowClaims<RowKey> claims =
                jobs.claims(here()).completeSet("what = 'done', done_at = 1").build();
        Claim<RowKey> first = claims.claim(1);
        Claim<RowKey> second = claims.claim(1);
        assertThat(first.complete().done()).hasSize(1);
        assertFails(second::complete);
        assertThat(jobs.done()).containsExactly(1L);
        assertThat(second.renew().done()).as("still ours").isEqualTo(keys(2));
        jobs.run("UPDATE " + jobs.table() + " SET what = 'gone' WHERE id = 1");
        assertThat(second.complete().done()).isEqualTo(keys(2));
    }

    @Test
    void completesSomeAndClaimsTheNext() throws Exception {
        onBothTables(6, (jobs, dibs) -> {
            Claim<RowKey> claim = jobs.claims(dibs).build().claim(3);
            NextClaim<RowKey> turn = claim.completeAndClaim(keys(1, 3), 2);
            assertThat(turn.completed().done()).isEqualTo(keys(1, 3));
            assertThat(turn.next().keys()).isEqualTo(keys(4, 5));
            assertThat(claim.isHeld(RowKey.of(2))).isTrue();
            assertThat(claim.isHeld(RowKey.of(1))).isFalse();
            claim.close();
            assertThat(turn.next().completeAndClaim(10).next().keys()).isEqualTo(keys(2, 6));
            assertThat(jobs.done()).containsExactly(1L, 3L, 4L, 5L);
        });
    }

    @Test
    void theSameTokenAgainGivesTheSameRows() throws Exception {
        onBothTables(6, (jobs, dibs) -> {
            RowClaims<RowKey> claims = jobs.claims(dibs).build();
            String token = RowClaims.newToken();
            List<RowKey> keys = claims.claim(token, 2).keys();
            assertThat(claims.claim(token, 2).keys()).isEqualTo(keys).hasSize(2);
            assertThat(claims.find(token).keys()).isEqualTo(keys);
        });
    }

    @FullTest(except = "postgresql")
    void aClaimIsRenewedUntilItIsClosed() throws Exception {
        renewedUntilClosed(new Jobs(pool(), 2));
    }

    @FullTest(except = "postgresql")
    void sideClaimIsRenewedUntilItIsClosed() throws Exception {
        renewedUntilClosed(new SideJobs(pool(), 2));
    }

    private void renewedUntilClosed(JobTable table) throws Exception {
        JobTable jobs = closing(table);
        RowClaims<RowKey> claims =
                jobs.claims(closing(oftenRenewed(pool()).build())).build();
        try (Claim<RowKey> claim = claims.claim(2)) {
            long first = Collections.max(jobs.until());
            await().until(() -> Collections.min(jobs.until()) > first);
            assertThat(claims.claim(2).isEmpty()).isTrue();
            assertThat(claim.isValid()).isTrue();
            assertThat(claim.renew().done()).hasSize(2);
        }
        // A renewal that is running keeps the rows from being released at once.
        await().until(() -> jobs.claimed() == 0);
        assertThat(claims.claim(2).size()).isEqualTo(2);
    }

    @FullTest(except = "postgresql")
    void postponedRowsBecomeFree() throws Exception {
        onBothTables(2, (jobs, dibs) -> {
            RowClaims<RowKey> claims = jobs.claims(dibs).build();
            Duration pause = Duration.ofHours(1);
            long before = System.nanoTime();
            try (Claim<RowKey> claim = claims.claim(2)) {
                assertThat(claim.postpone(keys(1), pause).done()).isEqualTo(keys(1));
                Duration took = Duration.ofNanos(System.nanoTime() - before);
                List<Long> until = jobs.until();
                // The other row is claimed as before, that is, for a minute since shortly before.
                assertThat(Duration.ofMillis(until.get(0) - until.get(1)))
                        .isBetween(
                                pause.minus(LONG), pause.minus(LONG).plus(took).plusMillis(10));
            }
            assertThat(claims.claim(2).keys()).isEqualTo(keys(2));
            jobs.age(1, pause.toMillis());
            assertThat(claims.claim(2).keys()).isEqualTo(keys(1));
            assertThat(claims.count()).isEqualTo(2);
        });
    }

    @Test
    void joinsTheCallersTransaction() throws Exception {
        onBothTables(3, (jobs, dibs) -> {
            RowClaims<RowKey> claims = jobs.claims(dibs).build();
            Connection connection = connection();
            assertThatThrownBy(() -> claims.claim(connection, 1)).isInstanceOf(IllegalStateException.class);
            connection.setAutoCommit(false);
            assertThat(claims.claim(connection, 2).size()).isEqualTo(2);
            if (database().has(Trait.LOCKS_ROWS)) {
                assertThat(claims.claim(3).keys())
                        .as("locked rows are passed over")
                        .isEqualTo(keys(3));
            }
            connection.rollback();
            Claim<RowKey> own = claims.claim(2);
            assertThat(own.complete(connection, own.keys()).done()).hasSize(2);
            connection.rollback();
            assertThat(jobs.done()).isEmpty();
            assertThat(own.complete(connection, own.keys()).done()).hasSize(2);
            connection.commit();
            assertThat(jobs.done()).containsExactly(1L, 2L);
        });
    }

    @Test
    void aDelayIsWithinBounds() throws Exception {
        Jobs jobs = jobs(1);
        try (Claim<RowKey> claim = jobs.claims(here()).build().claim(1)) {
            for (Duration delay :
                    List.of(Duration.ofMillis(-1), Duration.ofDays(36_501), Duration.ofSeconds(Long.MAX_VALUE))) {
                assertRejected(() -> claim.postpone(claim.keys(), delay), "a delay of ");
            }
            assertThat(claim.postpone(claim.keys(), Duration.ofDays(36_500)).isComplete())
                    .isTrue();
        }
    }

    /** The keys of one claim may be larger than the database passes on. Then the caller is told, and not that there is no row. */
    @FullTest
    void keysThatAreTooLargeTogetherAreAnError() throws Exception {
        String table = table("id varchar(250) PRIMARY KEY, request_token varchar(32), claimed_until bigint");
        sql().run("INSERT INTO " + table + " (id) SELECT concat(n, '" + "x".repeat(240) + "') FROM "
                + database().numbers(4_999));
        String limit = database().limitsPackets();
        long before = limit.isEmpty() ? 0 : sql().number("SELECT @@max_allowed_packet");
        try {
            if (!limit.isEmpty()) {
                sql().run(limit.replace("#", "1048576"));
            }
            try (HikariDataSource small = database().pool(config -> {});
                    Dibs dibs = dibs(small)) {
                RowClaims<RowKey> claims = dibs.claims(table)
                        .key("id")
                        .token("request_token")
                        .until("claimed_until")
                        .build();
                assertThat(claims.claim(100).size()).isEqualTo(100);
                assertThat(claims.claim(4_000).size()).isEqualTo(4_000);
            } catch (DatabaseFailureException e) {
                assertThat(limit).isNotEmpty();
                assertThat(e).hasMessageContaining("larger than max_allowed_packet, claim fewer rows");
            }
        } finally {
            if (!limit.isEmpty()) {
                sql().run(limit.replace("#", String.valueOf(before)));
            }
        }
    }

    @Test
    void deadRowsDoNotCountAsLeft() throws Exception {
        Jobs jobs = jobs(3);
        SideJobs besides = sideJobs(3);
        jobs.run("UPDATE " + jobs.table() + " SET request_token = 'dibs-dead' WHERE id = 1");
        assertThat(jobs.markers(here()).build().count()).isEqualTo(2);
        jobs.run("INSERT INTO dibs_claim (scope, row_key, token, held_until) VALUES ('" + besides.table()
                + "', '1', 'dibs-dead', 9007199254740991)");
        RowClaims<RowKey> claims = besides.claims(here()).build();
        assertThat(claims.count()).isEqualTo(2);
        try (Claim<RowKey> claim = claims.claim(3)) {
            assertThat(claim.size()).isEqualTo(2);
            assertThat(claims.count()).as("claimed or not").isEqualTo(2);
        }
        jobs.run("DELETE FROM dibs_claim WHERE scope = '" + besides.table() + "'");
    }

    @Test
    void aMappedRowComesWithItsKey() throws Exception {
        onBothTables(3, (jobs, dibs) -> {
            RowClaims<Long> claims = jobs.claims(dibs).orderBy("id DESC").build(row -> row.getLong("id") * 10);
            Claim<Long> claim = claims.claim(2);
            assertThat(claim.rows())
                    .containsExactly(new KeyedRow<>(RowKey.of(3), 30L), new KeyedRow<>(RowKey.of(2), 20L));
            assertThat(claim.complete(keys(3)).isComplete()).isTrue();
        });
    }
}
