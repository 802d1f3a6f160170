package dev.dibs.contract.claims;

import static org.awaitility.Awaitility.await;

import dev.dibs.Dibs;
import dev.dibs.claims.Claim;
import dev.dibs.claims.NextClaim;
import dev.dibs.claims.RowClaims;
import dev.dibs.claims.RowKey;
import dev.dibs.contract.support.Fixture;
import dev.dibs.contract.support.JobTable;
import dev.dibs.contract.support.Jobs;
import dev.dibs.contract.support.SideJobs;
import dev.dibs.database.ErrorLog;
import dev.dibs.database.FaultyDataSource;
import dev.dibs.database.FullRun;
import dev.dibs.database.FullTest;
import dev.dibs.database.TestDatabase;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Each row has one holder at most, is completed once, and no claim waits for another one: claims of rows with and without columns for them,
 * and of ranges.
 */
@Tag("race")
class ClaimRaceContract extends Fixture {
    @ParameterizedTest(name = "side table: {0}")
    @ValueSource(booleans = {false, true})
    @FullRun(except = "postgresql")
    void eachRowIsClaimedExactlyOnce(boolean beside) throws Exception {
        int rows = 2000;
        JobTable jobs = beside ? sideJobs(rows) : jobs(rows);
        RowClaims<RowKey> claims =
                jobs.claims(here()).leaseLength(Duration.ofMinutes(1)).build();
        Optional<ErrorLog> log =
                Optional.of(database()).filter(TestDatabase::canReadErrorLog).map(TestDatabase::errorLog);
        Queue<Long> worked = new ConcurrentLinkedQueue<>();
        inThreads(8, number -> workOff(claims, 3 + 4 * number, worked));
        assertThat(worked).hasSize(rows).doesNotHaveDuplicates();
        assertThat(jobs.done()).hasSize(rows);
        if (jobs instanceof SideJobs side) {
            assertThat(side.completions()).containsExactly((long) rows, (long) rows);
        }
        // Other tests may cause errors on the same server meanwhile.
        assertThat(log.map(ErrorLog::entries).orElse(List.of()))
                .filteredOn(entry -> entry.contains(jobs.table()))
                .as("no deadlock either")
                .hasSizeLessThanOrEqualTo(database().rolledBackInARace());
    }

    private static void workOff(RowClaims<RowKey> claims, int batch, Queue<Long> worked) throws InterruptedException {
        Claim<RowKey> claim = claims.claim(batch);
        while (!claim.isEmpty() || claims.count() > 0) {
            assertThat(claim.size()).isLessThanOrEqualTo(batch);
            if (claim.isEmpty()) {
                // The remaining rows are being processed by others just now.
                Thread.sleep(5);
                claim = claims.claim(batch);
                continue;
            }
            claim.keys().forEach(key -> worked.add(key.asLong()));
            NextClaim<RowKey> turn = claim.completeAndClaim(batch);
            assertThat(turn.completed().lost()).isEmpty();
            claim = turn.next();
        }
    }

    @Test
    void aLockedRowIsPassedOverByEverybody() throws Exception {
        assumeRowLocks();
        Jobs jobs = jobs(4);
        Connection other = transaction();
        RowClaims<RowKey> claims =
                jobs.claims(here()).leaseLength(Duration.ofMinutes(1)).build();
        Claim<RowKey> claim = claims.claim(2);
        try (Statement statement = other.createStatement()) {
            statement.executeUpdate("UPDATE " + jobs.table() + " SET what = 'locked' WHERE id IN (2, 3)");
            // A statement that waited would return only after the row is unlocked, which happens only below.
            assertThat(claims.claim(4).keys()).containsExactly(RowKey.of(4));
            assertThat(claim.renew().done())
                    .as("locked, but ours")
                    .containsExactlyInAnyOrder(RowKey.of(1), RowKey.of(2));
            assertThat(claim.release(claim.keys()).done()).containsExactly(RowKey.of(1));
            assertThat(claim.isHeld(RowKey.of(2))).isTrue();
            claim.close();
            assertThat(claims.claim(1).keys()).containsExactly(RowKey.of(1));
            assertThat(claims.claim(1).isEmpty()).isTrue();
        } finally {
            other.rollback();
        }
        // 3 was free all the time. 2 is free once the background has released it, which may be sooner.
        List<RowKey> claimed = new ArrayList<>(claims.claim(1).keys());
        assertThat(claimed).hasSize(1);
        await().until(() -> {
            claimed.addAll(claims.claim(1).keys());
            return claimed.size() == 2;
        });
        assertThat(claimed).containsExactlyInAnyOrder(RowKey.of(2), RowKey.of(3));
    }

    @FullTest(except = "postgresql")
    void anOverdueRowIsTakenOverAndItsLateClaimerHasLostIt() throws Exception {
        FaultyDataSource faulty = new FaultyDataSource(pool());
        Jobs jobs = jobs(2);
        Dibs stalled = closing(builder(faulty).leaseLength(LEASE).build());
        Claim<RowKey> late = jobs.claims(stalled).build().claim(2);
        RowClaims<RowKey> claims = jobs.claims(here()).build();
        Queue<RowKey> lost = new ConcurrentLinkedQueue<>();
        late.onLost(lost::addAll);
        faulty.exhaust(Duration.ofMillis(10));
        await().until(() -> !late.isValid());
        await().until(() -> claims.claim(1).keys().equals(List.of(RowKey.of(1))));
        faulty.heal();
        await().until(() -> lost.containsAll(late.keys()));
        assertThat(late.complete(List.of(RowKey.of(1))).lost()).containsExactly(RowKey.of(1));
        assertThat(jobs.done()).isEmpty();
    }

    @Test
    void aMarkerStandsUntilItIsReleased() throws Exception {
        Jobs jobs = jobs(3);
        Dibs dibs = closing(builder(pool()).leaseLength(Duration.ofMillis(300)).build());
        RowClaims<RowKey> claims = jobs.markers(dibs).build();
        Claim<RowKey> vanished = claims.claim(2);
        Thread.sleep(600);
        assertThat(vanished.isValid()).isTrue();
        assertThat(claims.claim(3).keys()).containsExactly(RowKey.of(3));
        assertThat(claims.release(vanished.token())).containsExactlyInAnyOrder(RowKey.of(1), RowKey.of(2));
        assertThat(vanished.complete().lost()).hasSize(2);
        Claim<RowKey> next = claims.claim(3);
        assertThat(next.complete().done()).containsExactly(RowKey.of(1), RowKey.of(2));
        assertThat(jobs.done()).containsExactly(1L, 2L);
    }

    @Test
    void rowsThatAreInsertedWithATokenAreFoundByIt() throws Exception {
        Jobs jobs = jobs(2);
        String token = RowClaims.newToken();
        jobs.run("INSERT INTO " + jobs.table() + " (id, what, request_token) VALUES (10, 'x', '" + token
                + "'), (11, 'y', '" + token + "')");
        RowClaims<RowKey> claims = jobs.markers(here()).build();
        assertThat(claims.claim(9).keys()).containsExactly(RowKey.of(1), RowKey.of(2));
        Claim<RowKey> group = claims.find(token);
        assertThat(group.keys()).containsExactly(RowKey.of(10), RowKey.of(11));
        assertThat(group.complete().isComplete()).isTrue();
        assertThat(jobs.done()).containsExactly(10L, 11L);
    }

    private static String open(SideJobs jobs) {
        return "SELECT id FROM " + jobs.table() + " WHERE done_at IS NULL";
    }

    /** Few rows and short claims, so that a claim often chooses a row that is just being completed. */
    @FullTest(except = "postgresql")
    void sideTableTakesACompletionAndAClaimAtOnce() throws Exception {
        int rows = 300;
        SideJobs jobs = sideJobs(rows);
        RowClaims<RowKey> claims =
                jobs.claims(here()).leaseLength(Duration.ofSeconds(30)).build();
        inThreads(2, number -> {
            while (!jobs.numbers(open(jobs)).isEmpty()) {
                Claim<RowKey> claim = claims.claim(1);
                claim.complete();
            }
        });
        assertThat(jobs.completions()).containsExactly((long) rows, (long) rows);
    }

    /** The user's row is not changed, so only the look at it after the claim finds that it is completed. */
    @FullTest(except = "postgresql")
    void sideRunLogsEachRowOnce() throws Exception {
        int rows = 400;
        SideJobs jobs = sideJobs(rows);
        RowClaims<RowKey> claims =
                jobs.logged(here()).leaseLength(Duration.ofSeconds(30)).build();
        inThreads(4, number -> {
            while (jobs.logged().get(0) < rows) {
                logAll(jobs, claims.claim(2));
            }
        });
        assertThat(jobs.logged()).containsExactly((long) rows, (long) rows);
    }

    private void logAll(SideJobs jobs, Claim<RowKey> claim) throws Exception {
        if (claim.isEmpty()) {
            return;
        }
        try (claim;
                Connection connection = pool().getConnection()) {
            connection.setAutoCommit(false);
            for (RowKey key : claim.keys()) {
                jobs.log(connection, key.asLong());
            }
            assertThat(claim.complete(connection, claim.keys()).isComplete()).isTrue();
            connection.commit();
            connection.setAutoCommit(true);
        }
    }

    @FullTest
    void eightThreadsCompleteEachRowOfARangeOnce() throws Exception {
        int rows = 2000;
        // Other tests cause errors on the same server meanwhile, in tables of other names.
        String prefix = prefix();
        Jobs jobs = jobs(rows);
        Dibs dibs = closing(builder(pool()).tablePrefix(prefix).build());
        dibs.admin().createSchema();
        Optional<ErrorLog> log =
                Optional.of(database()).filter(TestDatabase::canReadErrorLog).map(TestDatabase::errorLog);
        RowClaims<RowKey> claims =
                jobs.ranges(dibs).leaseLength(Duration.ofSeconds(30)).build();
        Queue<Long> completed = new ConcurrentLinkedQueue<>();
        long end = System.nanoTime() + TimeUnit.MINUTES.toNanos(5);
        inThreads(8, seed -> {
            Random random = new Random(seed);
            while (completed.size() < rows && System.nanoTime() < end) {
                workOffRange(claims.claim(1 + random.nextInt(40)), random, completed);
            }
        });
        assertThat(completed).hasSize(rows).doesNotHaveDuplicates();
        assertThat(claims.claim(1).isEmpty()).isTrue();
        assertThat(log.map(ErrorLog::entries).orElse(List.of()))
                .filteredOn(entry -> entry.contains(prefix))
                .as("no deadlock and no error")
                .hasSizeLessThanOrEqualTo(database().rolledBackInARace());
    }

    /** A part is completed from the beginning, a row out of order, one is postponed, the rest is completed or released. */
    private static void workOffRange(Claim<RowKey> claim, Random random, Queue<Long> completed) {
        try (claim) {
            List<RowKey> rest = new ArrayList<>(claim.keys());
            if (rest.size() > 2 && random.nextInt(2) == 0) {
                List<RowKey> first = rest.subList(0, 1 + random.nextInt(rest.size() - 1));
                complete(claim, first, completed);
                first.clear();
            }
            if (rest.size() > 1 && random.nextInt(6) == 0) {
                List<RowKey> last = rest.subList(rest.size() - 1, rest.size());
                complete(claim, last, completed);
                last.clear();
            }
            if (rest.size() > 1 && random.nextInt(6) == 0) {
                List<RowKey> one = rest.subList(rest.size() / 2, rest.size() / 2 + 1);
                assertThat(claim.postpone(one, Duration.ofMillis(5)).isComplete())
                        .isTrue();
                one.clear();
            }
            if (!rest.isEmpty() && random.nextInt(3) > 0) {
                complete(claim, rest, completed);
            }
        }
    }

    private static void complete(Claim<RowKey> claim, List<RowKey> keys, Queue<Long> completed) {
        assertThat(claim.complete(keys).lost()).isEmpty();
        keys.forEach(key -> completed.add(key.asLong()));
    }

    /** The holder's lease expires while it completes the beginning of its range, or scatters it. */
    @FullTest(except = "postgresql")
    void aLateHolderAndATakeoverShareARangeWithoutARowTwice() throws Exception {
        int rounds = 30;
        Jobs jobs = jobs(6 * rounds);
        RowClaims<RowKey> claims =
                jobs.ranges(here()).leaseLength(Duration.ofSeconds(30)).build();
        Queue<Long> completed = new ConcurrentLinkedQueue<>();
        for (int i = 0; i < rounds; i++) {
            Claim<RowKey> late = claims.claim(6);
            int half = late.size() / 2;
            List<RowKey> keys = late.keys();
            List<RowKey> part = keys.subList(i % 2 == 0 ? 0 : half, i % 2 == 0 ? half : keys.size());
            jobs.run("UPDATE dibs_range SET held_until = 1 WHERE token = '" + late.token() + "'");
            inThreads(2, seed -> {
                if (seed == 0) {
                    late.complete(part).done().forEach(key -> completed.add(key.asLong()));
                } else {
                    Claim<RowKey> next = claims.claim(6);
                    next.complete().done().forEach(key -> completed.add(key.asLong()));
                }
            });
            late.close();
        }
        long end = System.nanoTime() + TimeUnit.MINUTES.toNanos(2);
        while (completed.size() < 6 * rounds && System.nanoTime() < end) {
            jobs.run("UPDATE dibs_claim SET held_until = 1 WHERE scope = '" + jobs.table() + "'");
            claims.claim(100).complete().done().forEach(key -> completed.add(key.asLong()));
        }
        assertThat(completed).hasSize(6 * rounds).doesNotHaveDuplicates();
    }
}
