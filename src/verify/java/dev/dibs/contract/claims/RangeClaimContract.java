package dev.dibs.contract.claims;

import dev.dibs.DatabaseFailureException;
import dev.dibs.Dibs;
import dev.dibs.claims.Claim;
import dev.dibs.claims.ClaimResult;
import dev.dibs.claims.RowClaims;
import dev.dibs.claims.RowKey;
import dev.dibs.contract.support.ContractFixture;
import dev.dibs.contract.support.Jobs;
import dev.dibs.database.FaultyDataSource;
import dev.dibs.database.FullRun;
import dev.dibs.database.FullTest;
import dev.dibs.runs.Run;
import dev.dibs.runs.RunWorkers;
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
    private List<Long> numbers(Claim<RowKey> claim) {
        return claim.keys().stream().map(RowKey::asLong).toList();
    }

    @Test
    void rangesFollowEachOtherToTheEnd() throws Exception {
        Jobs jobs = jobs(8);
        RowClaims<RowKey> claims = jobs.ranges(here()).build();
        assertThat(claims.count()).isEqualTo(8);
        try (Claim<RowKey> first = claims.claim(1);
                Claim<RowKey> second = claims.claim(4)) {
            assertThat(numbers(first)).containsExactly(1L);
            assertThat(numbers(second)).containsExactly(2L, 3L, 4L, 5L);
            assertThat(first.complete().isComplete()).isTrue();
            assertThat(second.complete(List.of(RowKey.of(2), RowKey.of(3))).done())
                    .hasSize(2);
            Claim<RowKey> third = second.completeAndClaim(10).next();
            assertThat(numbers(third)).containsExactly(6L, 7L, 8L);
            assertThat(claims.claim(1).isEmpty()).isTrue();
            assertThat(third.complete().isComplete()).isTrue();
            assertThat(third.complete(List.of(RowKey.of(6))).lost()).hasSize(1);
        }
        assertThat(claims.claim(1).isEmpty()).isTrue();
        assertThat(claims.count()).isZero();
        jobs.add(9);
        assertThat(numbers(claims.claim(5))).containsExactly(9L);
    }

    /** The others have expired meanwhile, as far as the process knows. The database still has them in the range. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @FullRun(except = {"postgresql", "h2"})
    void completionThatOutlivesTheLeaseKeepsTheOtherRows(boolean claimsNext) throws Exception {
        FaultyDataSource faulty = new FaultyDataSource(pool());
        Jobs jobs = jobs(3);
        Dibs dibs = closing(builder(faulty).leaseLength(Duration.ofMillis(600)).build());
        Claim<RowKey> claim = jobs.ranges(dibs).build().claim(3);
        assertThat(numbers(claim)).containsExactly(1L, 2L, 3L);
        faulty.on(sql -> true).always().fail("40001", 0);
        CompletableFuture<ClaimResult> completed = CompletableFuture.supplyAsync(() -> claimsNext
                ? claim.completeAndClaim(List.of(RowKey.of(3)), 1).completed()
                : claim.complete(List.of(RowKey.of(3))));
        Awaitility.await().until(() -> !claim.isHeld(RowKey.of(1)) && !claim.isValid());
        faulty.heal();
        assertThat(completed.get().done()).containsExactly(RowKey.of(3));
        dibs.close();
        RowClaims<RowKey> next = jobs.ranges(there()).build();
        assertThat(next.count()).isEqualTo(2);
        assertThat(numbers(await(next))).containsExactly(1L, 2L);
    }

    @FullTest(except = "postgresql")
    void onlyReleasedAndPostponedRowsBecomeFree() throws Exception {
        Jobs jobs = jobs(7);
        RowClaims<RowKey> claims = jobs.ranges(here()).build();
        claims.claim(1).complete();
        try (Claim<RowKey> claim = claims.claim(6)) {
            assertThat(claim.complete(List.of(RowKey.of(4))).done())
                    .as("from the middle")
                    .hasSize(1);
            assertThat(claim.postpone(List.of(RowKey.of(6)), Duration.ofMinutes(10))
                            .done())
                    .hasSize(1);
            assertThat(claim.complete(List.of(RowKey.of(2), RowKey.of(3))).done())
                    .hasSize(2);
            assertThat(claim.renew().done()).hasSize(2);
        }
        assertThat(numbers(await(claims))).containsExactly(5L, 7L);
        String later = " WHERE scope = '" + jobs.table() + "' AND token = 'dibs-later'";
        assertThat(jobs.numbers("SELECT held_until FROM dibs_claim" + later))
                .singleElement()
                .satisfies(
                        until -> assertThat(until - System.currentTimeMillis()).isBetween(500_000L, 700_000L));
        jobs.run("UPDATE dibs_claim SET held_until = 1" + later);
        Claim<RowKey> last = await(claims);
        assertThat(numbers(last)).containsExactly(6L);
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
        assertThat(numbers(claims.claim(2))).containsExactly(3L, 4L);
        jobs.run("UPDATE dibs_range SET held_until = 1 WHERE id = '" + vanished.token() + "'");
        assertThat(numbers(claims.claim(2))).containsExactly(1L, 2L);
        assertThat(numbers(claims.claim(2))).containsExactly(5L, 6L);
        assertThat(claims.claim(2).isEmpty()).isTrue();
    }

    @FullTest(except = "postgresql")
    void aRangeOfADeadHolderIsTakenOver() throws Exception {
        Jobs jobs = jobs(5);
        Dibs dibs = closing(oftenRenewed(pool()).build());
        RowClaims<RowKey> claims = jobs.ranges(dibs).build();
        claims.claim(1).complete();
        Claim<RowKey> vanished;
        try (Connection connection = pool().getConnection()) {
            connection.setAutoCommit(false);
            vanished = claims.claim(connection, 4);
            connection.commit();
            connection.setAutoCommit(true);
        }
        String range = "dibs_range WHERE id = '" + vanished.token() + "'";
        List<Long> until = jobs.numbers("SELECT held_until FROM " + range);
        assertThat(claims.claim(4).isEmpty()).isTrue();
        // A renewal would have come after a second.
        Thread.sleep(1500);
        assertThat(jobs.numbers("SELECT held_until FROM " + range))
                .isEqualTo(until)
                .hasSize(1);
        jobs.run("UPDATE dibs_range SET held_until = 1 WHERE id = '" + vanished.token() + "'");
        Claim<RowKey> next = claims.claim(4);
        assertThat(numbers(next)).containsExactly(2L, 3L, 4L, 5L);
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
        assertThat(claim.complete(connection, List.of(RowKey.of(2))).isComplete())
                .isTrue();
        assertThat(claim.complete(connection, List.of(RowKey.of(3))).isComplete())
                .isTrue();
        connection.rollback();
        assertThat(claim.complete(connection, List.of(RowKey.of(2), RowKey.of(3), RowKey.of(4)))
                        .isComplete())
                .isTrue();
        connection.commit();
        assertThat(claim.complete(List.of(RowKey.of(5))).isComplete()).isTrue();
        assertThat(claim.complete(List.of(RowKey.of(2))).lost()).hasSize(1);
        claim.close();
        Thread.sleep(600);
        assertThat(claims.claim(9).isEmpty()).isTrue();
    }

    @FullTest(except = "postgresql")
    void aRunOverRangesDoesEveryRowOnce() throws Exception {
        String name = fresh("ranges");
        Jobs jobs = jobs(300);
        // After a stall, the lease of a range may have expired: its row is processed again, and still takes effect
        // once.
        Set<Long> worked = ConcurrentHashMap.newKeySet();
        Run run = here().run(name);
        RunWorkers<?> workers = run.over(jobs.ranges(here()).build())
                .batch(9)
                .threads(4)
                .maxAttempts(2)
                .backoff(Duration.ofMillis(20), Duration.ofMillis(20))
                .workInTransaction((key, connection) -> {
                    jobs.effect(connection, key.asLong());
                    if (key.asLong() % 50 == 0) {
                        throw new IllegalStateException("no");
                    }
                    worked.add(key.asLong());
                })
                .start();
        assertThat(workers.await()).isEqualTo(RunWorkers.End.INCOMPLETE);
        assertThat(worked).hasSize(294);
        assertThat(jobs.effects()).hasSize(294).allMatch(effects -> effects == 1);
        assertThat(run.dead(100)).hasSize(6);
        assertThat(run.status().orElseThrow().done()).isEqualTo(294);
        assertThat(run.retryDead()).isEqualTo(6);
        assertThat(run.over(jobs.ranges(here()).build())
                        .work(key -> worked.add(key.asLong()))
                        .start()
                        .await())
                .isEqualTo(RunWorkers.End.FINISHED);
        assertThat(worked).hasSize(300);
        run.over(jobs.ranges(here()).build()).ensureFinished();
    }

    @Test
    void aRangeWhoseRowsWereDeletedIsDropped() throws Exception {
        Jobs jobs = jobs(9);
        RowClaims<RowKey> claims = jobs.ranges(here()).build();
        try (Claim<RowKey> gone = claims.claim(3);
                Claim<RowKey> alsoGone = claims.claim(3)) {
            assertThat(numbers(gone)).containsExactly(1L, 2L, 3L);
            assertThat(numbers(alsoGone)).containsExactly(4L, 5L, 6L);
            jobs.run("DELETE FROM " + jobs.table() + " WHERE id <= 6");
        }
        Claim<RowKey> rest = claims.claim(3);
        assertThat(numbers(rest)).containsExactly(7L, 8L, 9L);
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
        assertThat(claim.complete(List.of(RowKey.of(4))).isComplete()).isTrue();
        assertThat(claim.complete(List.of(RowKey.of(2))).isComplete()).isTrue();
        assertThat(claim.complete().done()).containsExactly(RowKey.of(1), RowKey.of(3), RowKey.of(5));
        assertThat(numbers(claims.claim(5))).containsExactly(6L);
    }

    @Test
    void rangesNeedAWholeNumberAsKey() throws Exception {
        Jobs jobs = jobs(1);
        assertThatThrownBy(() ->
                        here().claims(jobs.table()).key("what").ranges("x").build())
                .isInstanceOf(DatabaseFailureException.class)
                .hasMessageContaining("whole number");
        assertThatThrownBy(() -> jobs.ranges(here()).completeDelete().build())
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void deadRowsOfARangeDoNotCountAsLeft() throws Exception {
        Jobs jobs = jobs(3);
        RowClaims<RowKey> claims = jobs.ranges(here()).build();
        Claim<RowKey> claim = claims.claim(3);
        assertThat(claim.postpone(List.of(RowKey.of(2)), Duration.ofMinutes(10)).done())
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
        assertThatThrownBy(() -> jobs.ranges(here()).build())
                .isInstanceOf(DatabaseFailureException.class)
                .hasMessageContaining("has a row with the key -9223372036854775808");
        jobs.run("UPDATE " + jobs.table() + " SET id = -9223372036854775807");
        assertThat(jobs.ranges(here()).build().claim(1).keys()).containsExactly(RowKey.of(-9223372036854775807L));
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
        all.complete(List.of(RowKey.of(20)));
        jobs.run("UPDATE dibs_claim SET held_until = 4 WHERE scope = '" + jobs.table() + "' AND row_key = '9'");
        assertThat(jobs.ranges(here()).build().claim(1).keys()).containsExactly(RowKey.of(9));
    }
}
