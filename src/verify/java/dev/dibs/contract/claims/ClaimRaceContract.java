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
import dev.dibs.contract.support.OpenTable;
import dev.dibs.contract.support.SideJobs;
import dev.dibs.database.FullRun;
import dev.dibs.database.FullTest;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
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
    private static final System.Logger LOG = System.getLogger(ClaimRaceContract.class.getName());
    private static final List<String> KEYS =
            IntStream.range(100, 140).mapToObj(String::valueOf).toList();

    @ParameterizedTest(name = "side table: {0}")
    @ValueSource(booleans = {false, true})
    @FullRun(except = "postgresql")
    void eachRowIsClaimedExactlyOnce(boolean beside) throws Exception {
        int rows = 2000;
        JobTable jobs = beside ? sideJobs(rows) : jobs(rows);
        RowClaims<RowKey> claims = jobs.claims(here()).build();
        // Other tests may cause errors on the same server meanwhile. There is no deadlock either.
        limitLogged(jobs.table(), database().rolledBackInARace());
        Queue<Long> worked = new ConcurrentLinkedQueue<>();
        inThreads(8, number -> workOff(claims, 3 + 4 * number, worked));
        assertThat(worked).hasSize(rows).doesNotHaveDuplicates();
        assertThat(jobs.done()).hasSize(rows);
        if (jobs instanceof SideJobs side) {
            assertThat(side.completions()).containsExactly((long) rows, (long) rows);
        }
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
        RowClaims<RowKey> claims = jobs.claims(here()).build();
        Claim<RowKey> claim = claims.claim(2);
        run(other, "UPDATE " + jobs.table() + " SET what = 'locked' WHERE id IN (2, 3)");
        // A statement that waited would return only after the row is unlocked, which happens only below.
        assertThat(claims.claim(4).keys()).isEqualTo(keys(4));
        assertThat(claim.renew().done()).as("locked, but ours").containsExactlyInAnyOrderElementsOf(keys(1, 2));
        assertThat(claim.release(claim.keys()).done()).isEqualTo(keys(1));
        assertThat(claim.isHeld(RowKey.of(2))).isTrue();
        claim.close();
        assertThat(claims.claim(1).keys()).isEqualTo(keys(1));
        assertThat(claims.claim(1).isEmpty()).isTrue();
        other.rollback();
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
        Jobs jobs = jobs(2);
        Claim<RowKey> late = jobs.claims(
                        closing(builder(faulty()).leaseLength(LEASE).build()))
                .build()
                .claim(2);
        RowClaims<RowKey> claims = jobs.claims(here()).build();
        Queue<RowKey> lost = new ConcurrentLinkedQueue<>();
        late.onLost(lost::addAll);
        faulty().exhaust(Duration.ofMillis(10));
        await().until(() -> !late.isValid());
        await().until(() -> claims.claim(1).keys().equals(keys(1)));
        faulty().heal();
        await().until(() -> lost.containsAll(late.keys()));
        assertThat(late.complete(keys(1)).lost()).isEqualTo(keys(1));
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
        assertThat(claims.claim(3).keys()).isEqualTo(keys(3));
        assertThat(claims.release(vanished.token())).containsExactlyInAnyOrder(RowKey.of(1), RowKey.of(2));
        assertThat(vanished.complete().lost()).hasSize(2);
        assertThat(claims.claim(3).complete().done()).isEqualTo(keys(1, 2));
        assertThat(jobs.done()).containsExactly(1L, 2L);
    }

    @Test
    void rowsThatAreInsertedWithATokenAreFoundByIt() throws Exception {
        Jobs jobs = jobs(2);
        String token = RowClaims.newToken();
        jobs.run("INSERT INTO " + jobs.table() + " (id, what, request_token) VALUES (10, 'x', '" + token
                + "'), (11, 'y', '" + token + "')");
        RowClaims<RowKey> claims = jobs.markers(here()).build();
        assertThat(claims.claim(9).keys()).isEqualTo(keys(1, 2));
        Claim<RowKey> group = claims.find(token);
        assertThat(group.keys()).isEqualTo(keys(10, 11));
        assertThat(group.complete().isComplete()).isTrue();
        assertThat(jobs.done()).containsExactly(10L, 11L);
    }

    /** Few rows and short claims, so that a claim often chooses a row that is just being completed. */
    @FullTest(except = "postgresql")
    void sideTableTakesACompletionAndAClaimAtOnce() throws Exception {
        int rows = 300;
        SideJobs jobs = sideJobs(rows);
        RowClaims<RowKey> claims = jobs.claims(here()).build();
        inThreads(2, number -> {
            while (jobs.done().size() < rows) {
                claims.claim(1).complete();
            }
        });
        assertThat(jobs.completions()).containsExactly((long) rows, (long) rows);
    }

    /** The user's row is not changed, so only the look at it after the claim finds that it is completed. */
    @FullTest(except = "postgresql")
    void sideRunLogsEachRowOnce() throws Exception {
        int rows = 400;
        SideJobs jobs = sideJobs(rows);
        RowClaims<RowKey> claims = jobs.logged(here()).build();
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
        Dibs dibs = dibs(pool(), prefix);
        dibs.admin().createSchema();
        limitLogged(prefix, database().rolledBackInARace());
        RowClaims<RowKey> claims = jobs.ranges(dibs).build();
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
        RowClaims<RowKey> claims = jobs.ranges(here()).build();
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
                    claims.claim(6).complete().done().forEach(key -> completed.add(key.asLong()));
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

    /** A search by an index of the tokens sees the rows as they were. */
    @FullTest(except = "postgresql")
    void rowsTakenDuringTheirReleaseKeepTheirNewHolder() throws Exception {
        OpenTable table = closing(new OpenTable(pool(), "id varchar(20) PRIMARY KEY"));
        table.run("CREATE INDEX " + table.name() + "_i ON " + table.name() + " (request_token)");
        table.run("INSERT INTO " + table.name() + " (id) VALUES "
                + KEYS.stream().map(key -> "('" + key + "')").collect(Collectors.joining(", ")));
        RowClaims<RowKey> claims = table.claims(here()).build();
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(2);
        while (System.nanoTime() < end) {
            table.run("UPDATE " + table.name() + " SET request_token = 'mine', claimed_until = 9000000000000");
            CountDownLatch begun = new CountDownLatch(1);
            AtomicBoolean over = new AtomicBoolean();
            CompletableFuture<Integer> taken = CompletableFuture.supplyAsync(() -> taken(table.name(), begun, over));
            begun.await();
            claims.release("mine");
            over.set(true);
            int expected = taken.get(1, TimeUnit.MINUTES);
            assertThat(sql().number("SELECT count(*) FROM " + table.name() + " WHERE request_token = 'his'"))
                    .isEqualTo(expected);
        }
    }

    /** How many rows the other caller could take over before the end. It goes the same way, from a later row on, and is overtaken. */
    private int taken(String table, CountDownLatch begun, AtomicBoolean over) {
        int taken = 0;
        try (Connection connection = pool().getConnection();
                PreparedStatement take = connection.prepareStatement(
                        "UPDATE " + table + " SET request_token = 'his' WHERE id = ? AND request_token = 'mine'")) {
            int first = ThreadLocalRandom.current().nextInt(KEYS.size() - 5);
            for (int key = first; key < KEYS.size() && !over.get(); key++) {
                take.setString(1, KEYS.get(key));
                taken += take.executeUpdate();
                begun.countDown();
            }
        } catch (SQLException refused) {
            LOG.log(System.Logger.Level.DEBUG, "He takes no more", refused);
        } finally {
            begun.countDown();
        }
        return taken;
    }
}
