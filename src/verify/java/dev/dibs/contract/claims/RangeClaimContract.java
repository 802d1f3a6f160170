package dev.dibs.contract.claims;

import dev.dibs.Dibs;
import dev.dibs.claims.Claim;
import dev.dibs.claims.ClaimResult;
import dev.dibs.claims.RowClaims;
import dev.dibs.claims.RowKey;
import dev.dibs.contract.support.ContractFixture;
import dev.dibs.contract.support.Jobs;
import dev.dibs.database.FullRun;
import dev.dibs.database.FullTest;
import dev.dibs.runs.Run;
import dev.dibs.runs.RunWorkers.End;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Claims of whole ranges of keys: every row once, free rows are found among many claimed ones, and the user's rows are not written. */
class RangeClaimContract extends ContractFixture {
    @Test
    void rangesFollowEachOtherToTheEnd() throws Exception {
        Jobs jobs = jobs(8);
        RowClaims<RowKey> claims = jobs.ranges(here()).build();
        assertThat(claims.count()).isEqualTo(8);
        try (Claim<RowKey> first = claims.claim(1);
                Claim<RowKey> second = claims.claim(4)) {
            assertThat(first.keys()).isEqualTo(keys(1));
            assertThat(second.keys()).isEqualTo(keys(2, 3, 4, 5));
            assertThat(first.complete().isComplete()).isTrue();
            assertThat(second.complete(keys(2, 3)).done()).hasSize(2);
            Claim<RowKey> third = second.completeAndClaim(10).next();
            assertThat(third.keys()).isEqualTo(keys(6, 7, 8));
            assertThat(claims.claim(1).isEmpty()).isTrue();
            assertThat(third.complete().isComplete()).isTrue();
            assertThat(third.complete(keys(6)).lost()).hasSize(1);
        }
        assertThat(claims.claim(1).isEmpty()).isTrue();
        assertThat(claims.count()).isZero();
        jobs.add(9);
        assertThat(claims.claim(5).keys()).isEqualTo(keys(9));
    }

    /** The others have expired meanwhile, as far as the process knows. The database still has them in the range. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @FullRun(except = {"postgresql", "h2"})
    void completionThatOutlivesTheLeaseKeepsTheOtherRows(boolean claimsNext) throws Exception {
        Jobs jobs = jobs(3);
        Dibs dibs =
                closing(builder(faulty()).leaseLength(Duration.ofMillis(600)).build());
        Claim<RowKey> claim = jobs.ranges(dibs).build().claim(3);
        assertThat(claim.keys()).isEqualTo(keys(1, 2, 3));
        faulty().on(sql -> true).always().fail("40001", 0);
        CompletableFuture<ClaimResult> completed = CompletableFuture.supplyAsync(
                () -> claimsNext ? claim.completeAndClaim(keys(3), 1).completed() : claim.complete(keys(3)));
        Awaitility.await().until(() -> !claim.isHeld(RowKey.of(1)) && !claim.isValid());
        faulty().heal();
        assertThat(completed.get().done()).isEqualTo(keys(3));
        dibs.close();
        RowClaims<RowKey> next = jobs.ranges(there()).build();
        assertThat(next.count()).isEqualTo(2);
        assertThat(await(next).keys()).isEqualTo(keys(1, 2));
    }

    /** The loop that the page shows goes on: the claim has not looked at all. */
    @FullTest(except = "postgresql")
    void manyExpiredRangesWithoutRowsEndNoLoop() throws Exception {
        Jobs jobs = jobs(30);
        String table = jobs.table();
        RowClaims<RowKey> dead = jobs.ranges(there()).build();
        for (int i = 0; i < 25; i++) {
            assertThat(dead.claim(1).size()).isEqualTo(1);
        }
        sql().change("DELETE FROM " + table + " WHERE id <= 25");
        sql().change("UPDATE dibs_range SET held_until = 1 WHERE scope = ? AND token IS NOT NULL", table);
        RowClaims<RowKey> claims = jobs.ranges(here()).build();
        int done = 0;
        for (Claim<RowKey> claim = claims.claim(10);
                !claim.isEmpty() || !claim.hasSearchedAll();
                claim = claims.claim(10)) {
            done += claim.complete().done().size();
        }
        assertThat(done).isEqualTo(5);
    }

    @FullTest(except = "postgresql")
    void onlyReleasedAndPostponedRowsBecomeFree() throws Exception {
        Jobs jobs = jobs(7);
        RowClaims<RowKey> claims = jobs.ranges(here()).build();
        claims.claim(1).complete();
        try (Claim<RowKey> claim = claims.claim(6)) {
            assertThat(claim.complete(keys(4)).done()).as("from the middle").hasSize(1);
            assertThat(claim.postpone(keys(6), Duration.ofMinutes(10)).done()).hasSize(1);
            assertThat(claim.complete(keys(2, 3)).done()).hasSize(2);
            assertThat(claim.renew().done()).hasSize(2);
        }
        assertThat(await(claims).keys()).isEqualTo(keys(5, 7));
        String later = " WHERE scope = '" + jobs.table() + "' AND token = 'dibs-later'";
        assertThat(jobs.numbers("SELECT held_until FROM dibs_claim" + later))
                .singleElement()
                .satisfies(
                        until -> assertThat(until - System.currentTimeMillis()).isBetween(500_000L, 700_000L));
        jobs.run("UPDATE dibs_claim SET held_until = 1" + later);
        Claim<RowKey> last = await(claims);
        assertThat(last.keys()).isEqualTo(keys(6));
        assertThat(last.complete().isComplete()).isTrue();
    }

    /** Rows that have left their range are looked for now and then. */
    private static Claim<RowKey> await(RowClaims<RowKey> claims) {
        return Awaitility.await().until(() -> claims.claim(10), claim -> !claim.isEmpty());
    }

    @Test
    void anEarlierRangeIsTakenOverAndTheNextOneBeginsWhereTheLastOneEnded() throws Exception {
        Jobs jobs = jobs(6);
        RowClaims<RowKey> claims =
                jobs.ranges(here()).leaseLength(Duration.ofMinutes(10)).build();
        Claim<RowKey> vanished = claims.claim(2);
        assertThat(claims.claim(2).keys()).isEqualTo(keys(3, 4));
        jobs.run("UPDATE dibs_range SET held_until = 1 WHERE id = '" + vanished.token() + "'");
        assertThat(claims.claim(2).keys()).isEqualTo(keys(1, 2));
        assertThat(claims.claim(2).keys()).isEqualTo(keys(5, 6));
        assertThat(claims.claim(2).isEmpty()).isTrue();
    }

    @FullTest(except = "postgresql")
    void aRangeOfADeadHolderIsTakenOver() throws Exception {
        Jobs jobs = jobs(5);
        RowClaims<RowKey> claims =
                jobs.ranges(closing(oftenRenewed(pool()).build())).build();
        claims.claim(1).complete();
        Connection connection = transaction();
        Claim<RowKey> vanished = claims.claim(connection, 4);
        connection.commit();
        String range = "dibs_range WHERE id = '" + vanished.token() + "'";
        List<Long> until = jobs.numbers("SELECT held_until FROM " + range);
        assertThat(claims.claim(4).isEmpty()).isTrue();
        // A renewal would have come after a second.
        Thread.sleep(1500);
        assertThat(jobs.numbers("SELECT held_until FROM " + range)).isEqualTo(until);
        jobs.run("UPDATE dibs_range SET held_until = 1 WHERE id = '" + vanished.token() + "'");
        Claim<RowKey> next = claims.claim(4);
        assertThat(next.keys()).isEqualTo(keys(2, 3, 4, 5));
        assertThat(vanished.complete().done()).isEmpty();
        assertThat(next.complete().isComplete()).isTrue();
    }

    @Test
    void aRangeJoinsTheCallersTransaction() throws Exception {
        Jobs jobs = jobs(5);
        Connection connection = transaction();
        RowClaims<RowKey> claims = jobs.ranges(here()).build();
        claims.claim(1).complete();
        Claim<RowKey> claim = claims.claim(4);
        assertThat(claim.complete(connection, keys(2)).isComplete()).isTrue();
        assertThat(claim.complete(connection, keys(3)).isComplete()).isTrue();
        connection.rollback();
        assertThat(claim.complete(connection, keys(2, 3, 4)).isComplete()).isTrue();
        connection.commit();
        assertThat(claim.complete(keys(5)).isComplete()).isTrue();
        assertThat(claim.complete(keys(2)).lost()).hasSize(1);
        claim.close();
        Thread.sleep(600);
        assertThat(claims.claim(9).isEmpty()).isTrue();
    }

    @FullTest(except = "postgresql")
    void aRunOverRangesDoesEveryRowOnce() throws Exception {
        Jobs jobs = jobs(300);
        // After a stall, the lease of a range may have expired: its row is processed again, and takes effect once.
        Set<Long> worked = ConcurrentHashMap.newKeySet();
        Run run = here().run(fresh("ranges"));
        assertEnds(
                End.INCOMPLETE,
                run.over(jobs.ranges(here()).build())
                        .batch(9)
                        .threads(4)
                        .maxAttempts(2)
                        .backoff(Duration.ofMillis(20), Duration.ofMillis(20))
                        .workInTransaction((key, connection) -> {
                            jobs.effect(connection, key.asLong());
                            failIf(key.asLong() % 50 == 0);
                            worked.add(key.asLong());
                        }));
        assertThat(worked).hasSize(294);
        assertThat(jobs.effects()).hasSize(294).allMatch(effects -> effects == 1);
        assertThat(run.dead(100)).hasSize(6);
        assertThat(run.status().orElseThrow().done()).isEqualTo(294);
        assertThat(run.retryDead()).isEqualTo(6);
        assertEnds(End.FINISHED, run.over(jobs.ranges(here()).build()).work(key -> worked.add(key.asLong())));
        assertThat(worked).hasSize(300);
        run.over(jobs.ranges(here()).build()).ensureFinished();
    }

    @Test
    void aRangeWhoseRowsWereDeletedIsDropped() throws Exception {
        Jobs jobs = jobs(9);
        RowClaims<RowKey> claims = jobs.ranges(here()).build();
        try (Claim<RowKey> gone = claims.claim(3);
                Claim<RowKey> alsoGone = claims.claim(3)) {
            assertThat(gone.keys()).isEqualTo(keys(1, 2, 3));
            assertThat(alsoGone.keys()).isEqualTo(keys(4, 5, 6));
            jobs.run("DELETE FROM " + jobs.table() + " WHERE id <= 6");
        }
        Claim<RowKey> rest = claims.claim(3);
        assertThat(rest.keys()).isEqualTo(keys(7, 8, 9));
        rest.complete();
        assertThat(claims.claim(1).isEmpty()).isTrue();
        jobs.run("INSERT INTO " + jobs.table() + " (id) VALUES (5)");
        assertThat(claims.claim(1).isEmpty())
                .as("nothing is left that covers it")
                .isTrue();
    }

    /** Rows are completed one by one, out of order, after the work has removed them from the open rows. */
    @Test
    void aRangeFallsApartIntoTheRowsThatWereClaimed() throws Exception {
        Jobs jobs = jobs(6);
        RowClaims<RowKey> claims = jobs.ranges(here()).where("done_at IS NULL").build();
        Claim<RowKey> claim = claims.claim(5);
        jobs.run("UPDATE " + jobs.table() + " SET done_at = 1 WHERE id BETWEEN 2 AND 4");
        assertThat(claim.complete(keys(4)).isComplete()).isTrue();
        assertThat(claim.complete(keys(2)).isComplete()).isTrue();
        assertThat(claim.complete().done()).isEqualTo(keys(1, 3, 5));
        assertThat(claims.claim(5).keys()).isEqualTo(keys(6));
    }

    @Test
    void rangesNeedAWholeNumberAsKey() throws Exception {
        Jobs jobs = jobs(1);
        assertFails(() -> here().claims(jobs.table()).key("what").ranges("x").build(), "whole number");
        assertRejected(() -> jobs.ranges(here()).completeDelete().build());
    }

    @Test
    void deadRowsOfARangeDoNotCountAsLeft() throws Exception {
        Jobs jobs = jobs(3);
        RowClaims<RowKey> claims = jobs.ranges(here()).build();
        assertThat(claims.claim(3).postpone(keys(2), Duration.ofMinutes(10)).done())
                .hasSize(1);
        assertThat(claims.count()).isEqualTo(3);
        jobs.run("UPDATE dibs_claim SET token = 'dibs-dead' WHERE scope = '" + jobs.table()
                + "' AND token = 'dibs-later'");
        assertThat(claims.count()).isEqualTo(2);
    }

    @Test
    void aKeyThatNoRangeCanHaveIsRefused() throws Exception {
        Jobs jobs = jobs(1);
        jobs.run("UPDATE " + jobs.table() + " SET id = -9223372036854775807 - 1");
        assertFails(() -> jobs.ranges(here()).build(), "has a row with the key -9223372036854775808");
        jobs.run("UPDATE " + jobs.table() + " SET id = -9223372036854775807");
        assertThat(jobs.ranges(here()).build().claim(1).keys()).isEqualTo(keys(-9223372036854775807L));
    }

    @FullTest(except = "postgresql")
    void theRangeThatHasExpiredIsFoundAmongMany() throws Exception {
        Jobs jobs = jobs(50);
        RowClaims<RowKey> claims =
                jobs.ranges(here()).leaseLength(Duration.ofMinutes(10)).build();
        for (int i = 0; i < 40; i++) {
            assertThat(claims.claim(1).size()).isEqualTo(1);
        }
        String ranges = " FROM dibs_range WHERE scope = '" + jobs.table() + "' AND id <> 'dibs-cursor'";
        long first =
                jobs.numbers("SELECT first_key" + ranges + " ORDER BY id DESC").get(0);
        jobs.run("UPDATE dibs_range SET held_until = 4 WHERE scope = '" + jobs.table() + "' AND first_key = " + first);
        assertThat(claims.claim(1).keys()).containsExactly(RowKey.of(first));
    }

    @Test
    void theRowThatHasLeftItsRangeIsFoundAmongMany() throws Exception {
        Jobs jobs = jobs(50);
        Claim<RowKey> all =
                jobs.ranges(here()).leaseLength(Duration.ofMinutes(10)).build().claim(40);
        all.complete(keys(20));
        jobs.run("UPDATE dibs_claim SET held_until = 4 WHERE scope = '" + jobs.table() + "' AND row_key = '9'");
        assertThat(jobs.ranges(here()).build().claim(1).keys()).isEqualTo(keys(9));
    }
}
