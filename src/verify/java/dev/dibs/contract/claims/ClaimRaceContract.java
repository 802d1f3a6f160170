package dev.dibs.contract.claims;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.dibs.Dibs;
import dev.dibs.claims.Claim;
import dev.dibs.claims.NextClaim;
import dev.dibs.claims.RowClaims;
import dev.dibs.claims.RowKey;
import dev.dibs.contract.support.Fixture;
import dev.dibs.contract.support.Jobs;
import dev.dibs.database.ErrorLog;
import dev.dibs.database.FaultyDataSource;
import dev.dibs.database.FullRun;
import dev.dibs.database.TestDatabase;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Each row has one holder at most, and no claim waits for another one. */
@Tag("race")
class ClaimRaceContract extends Fixture {

    @Test
    @FullRun(except = "postgresql")
    void eachRowIsClaimedExactlyOnce() throws Exception {
        int rows = 2000;
        try (Jobs jobs = new Jobs(pool(), rows);
                Dibs dibs = dibs()) {
            RowClaims<RowKey> claims =
                    jobs.claims(dibs).leaseLength(Duration.ofMinutes(1)).build();
            Optional<ErrorLog> log = Optional.of(database())
                    .filter(TestDatabase::canReadErrorLog)
                    .map(TestDatabase::errorLog);
            Queue<Long> worked = new ConcurrentLinkedQueue<>();
            inThreads(8, number -> workOff(claims, 3 + 4 * number, worked));
            assertThat(worked).hasSize(rows).doesNotHaveDuplicates();
            assertThat(jobs.done()).hasSize(rows);
            // Other tests may cause errors on the same server meanwhile.
            assertThat(log.map(ErrorLog::entries).orElse(List.of()))
                    .filteredOn(entry -> entry.contains(jobs.table()))
                    .as("no deadlock either")
                    .hasSizeLessThanOrEqualTo(database().rolledBackInARace());
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
        try (Jobs jobs = new Jobs(pool(), 4);
                Dibs dibs = dibs();
                Connection other = pool().getConnection()) {
            RowClaims<RowKey> claims =
                    jobs.claims(dibs).leaseLength(Duration.ofMinutes(1)).build();
            Claim<RowKey> claim = claims.claim(2);
            other.setAutoCommit(false);
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
                other.setAutoCommit(true);
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
    }

    @Test
    @FullRun(except = "postgresql")
    void anOverdueRowIsTakenOverAndItsLateClaimerHasLostIt() throws Exception {
        FaultyDataSource faulty = new FaultyDataSource(pool());
        try (Jobs jobs = new Jobs(pool(), 2);
                Dibs stalled = builder(faulty).leaseLength(LEASE).build();
                Dibs dibs = dibs()) {
            Claim<RowKey> late = jobs.claims(stalled).build().claim(2);
            RowClaims<RowKey> claims = jobs.claims(dibs).build();
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
    }

    @Test
    void aMarkerStandsUntilItIsReleased() throws Exception {
        try (Jobs jobs = new Jobs(pool(), 3);
                Dibs dibs = builder(pool()).leaseLength(Duration.ofMillis(300)).build()) {
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
    }

    @Test
    void rowsThatAreInsertedWithATokenAreFoundByIt() throws Exception {
        try (Jobs jobs = new Jobs(pool(), 2);
                Dibs dibs = dibs()) {
            String token = RowClaims.newToken();
            jobs.run("INSERT INTO " + jobs.table() + " (id, what, request_token) VALUES (10, 'x', '" + token
                    + "'), (11, 'y', '" + token + "')");
            RowClaims<RowKey> claims = jobs.markers(dibs).build();
            assertThat(claims.claim(9).keys()).containsExactly(RowKey.of(1), RowKey.of(2));
            Claim<RowKey> group = claims.find(token);
            assertThat(group.keys()).containsExactly(RowKey.of(10), RowKey.of(11));
            assertThat(group.complete().isComplete()).isTrue();
            assertThat(jobs.done()).containsExactly(10L, 11L);
        }
    }
}
