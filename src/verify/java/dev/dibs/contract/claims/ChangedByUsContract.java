package dev.dibs.contract.claims;

import static org.awaitility.Awaitility.await;

import dev.dibs.Dibs;
import dev.dibs.JumpingClock;
import dev.dibs.claims.Claim;
import dev.dibs.claims.ClaimResult;
import dev.dibs.claims.ClaimsBuilder;
import dev.dibs.claims.NextClaim;
import dev.dibs.claims.RowKey;
import dev.dibs.contract.support.ContractFixture;
import dev.dibs.contract.support.Jobs;
import dev.dibs.database.FaultyDataSource;
import dev.dibs.database.FullRun;
import dev.dibs.database.FullTest;
import dev.dibs.database.OnEachDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A renewal misses rows that the claim itself has completed or released. They are not lost. Rows that really are lost, are reported. */
@OnEachDatabase
class ChangedByUsContract extends ContractFixture {

    private final JumpingClock clock = JumpingClock.renewingOften();

    /** Where claims are kept. */
    enum Place {
        TABLE,
        SIDE,
        RANGES
    }

    /** How rows leave a claim. */
    @SuppressWarnings("ImmutableEnumChecker")
    enum Way {
        COMPLETE(claim -> claim.complete(keys(1, 2))),
        COMPLETE_ALL(Claim::complete),
        COMPLETE_AND_CLAIM(claim -> {
            NextClaim<RowKey> next = claim.completeAndClaim(keys(1, 2), 1);
            next.next().close();
            return next.completed();
        }),
        RELEASE(claim -> claim.release(keys(1, 2))),
        POSTPONE(claim -> claim.postpone(keys(1, 2), Duration.ofMinutes(1)));

        private final Function<Claim<RowKey>, ClaimResult> change;

        Way(Function<Claim<RowKey>, ClaimResult> change) {
            this.change = change;
        }
    }

    private static ClaimsBuilder claims(Place place, Jobs jobs, Dibs dibs) {
        return switch (place) {
            case TABLE -> jobs.claims(dibs);
            case SIDE ->
                dibs.claims(jobs.table())
                        .key("id")
                        .sideTable()
                        .where("done_at IS NULL")
                        .completeSet("done_at = 1");
            case RANGES -> jobs.ranges(dibs);
        };
    }

    private static Queue<RowKey> lost(Claim<RowKey> claim) {
        Queue<RowKey> lost = new ConcurrentLinkedQueue<>();
        claim.onLost(lost::addAll);
        return lost;
    }

    /** Callbacks run on one thread, in order: a real loss shows that no other one is under way. */
    private static void assertOnlyLost(Queue<RowKey> lost, long... keys) {
        await().until(() -> lost.size() >= keys.length);
        assertThat(lost)
                .extracting(RowKey::asLong)
                .containsExactly(java.util.Arrays.stream(keys).boxed().toArray(Long[]::new));
    }

    /** As an operator would. */
    private static void takeAway(Place place, Jobs jobs, String token) throws SQLException {
        jobs.run(
                switch (place) {
                    case TABLE ->
                        "UPDATE " + jobs.table()
                                + " SET request_token = NULL, claimed_until = NULL WHERE request_token = '" + token
                                + "'";
                    case SIDE -> "DELETE FROM dibs_claim WHERE token = '" + token + "'";
                    case RANGES -> "DELETE FROM dibs_range WHERE token = '" + token + "'";
                });
        jobs.run("DELETE FROM dibs_claim WHERE token = '" + token + "'");
    }

    private static void completeTwo(Claim<RowKey> claim, Connection connection) {
        assertThat(claim.complete(connection, keys(1, 2)).isComplete()).isTrue();
    }

    @ParameterizedTest
    @EnumSource(Place.class)
    void renewalAfterAJoinedCompletionReportsNoLoss(Place place) throws SQLException {
        assumeRowLocks();
        Jobs jobs = jobs(4);
        Claim<RowKey> claim = claims(place, jobs, here()).build().claim(4);
        Connection connection = transaction();
        Queue<RowKey> lost = lost(claim);
        completeTwo(claim, connection);
        assertThat(claim.renew().lost()).as("it is locked").isEmpty();
        connection.commit();
        assertThat(claim.renew().lost()).as("it is committed").isEmpty();
        assertThat(claim.isHeld(RowKey.of(1))).isFalse();
        takeAway(place, jobs, claim.token());
        assertThat(claim.renew().lost()).isEqualTo(keys(3, 4));
        assertOnlyLost(lost, 3, 4);
    }

    @ParameterizedTest
    @EnumSource(Place.class)
    void completionOfTheRestReturnsNoJoinedRowAsLost(Place place) throws SQLException {
        Jobs jobs = jobs(4);
        Claim<RowKey> claim = claims(place, jobs, here()).build().claim(4);
        Connection connection = transaction();
        completeTwo(claim, connection);
        connection.commit();
        ClaimResult rest = claim.complete();
        assertThat(rest.lost()).isEmpty();
        assertThat(rest.done()).extracting(RowKey::asLong).contains(3L, 4L);
    }

    @ParameterizedTest
    @EnumSource(Place.class)
    void joinedCompletionThatIsRolledBackLeavesTheRowsToTheClaim(Place place) throws SQLException {
        Jobs jobs = jobs(4);
        Claim<RowKey> claim = claims(place, jobs, here()).build().claim(4);
        Connection connection = transaction();
        Queue<RowKey> lost = lost(claim);
        completeTwo(claim, connection);
        connection.rollback();
        assertThat(claim.renew().isComplete()).isTrue();
        assertThat(claim.isHeld(RowKey.of(1))).isTrue();
        takeAway(place, jobs, claim.token());
        assertThat(claim.renew().lost()).hasSize(4);
        assertOnlyLost(lost, 1, 2, 3, 4);
    }

    /** The statements that change the rows are answered, and the caller does not know it yet. */
    @ParameterizedTest
    @EnumSource(Way.class)
    @FullRun(except = "postgresql")
    void renewalBeforeTheCallerKnowsReportsNoLoss(Way way) throws SQLException {
        assumeCommitsBeforeRead();
        for (Place place : Place.values()) {
            FaultyDataSource faulty = new FaultyDataSource(pool());
            Jobs jobs = jobs(4);
            Claim<RowKey> claim = claims(place, jobs, dibs(faulty)).build().claim(3);
            Queue<RowKey> lost = lost(claim);
            faulty.on(sql -> true)
                    .always()
                    .here()
                    .actAfter(() -> CompletableFuture.runAsync(claim::renew).get(1, TimeUnit.MINUTES));
            assertThat(way.change.apply(claim).lost()).as(place + ", " + way).isEmpty();
            faulty.heal();
            claim.renew();
            assertThat(claim.isHeld(RowKey.of(1))).isFalse();
            assertThat(lost).as(place + ", " + way).isEmpty();
        }
    }

    /** Lets the lease of a row pass that is not renewed. That of the second row is. */
    private void passBesideRenewals(Jobs jobs) throws SQLException {
        clock.jump(LONG.multipliedBy(2).dividedBy(3));
        // The first one may have been sent before the jump, and the answer to the last one may be on its way.
        for (int renewal = 0; renewal < 3; renewal++) {
            long until = jobs.until().get(1);
            await().until(() -> jobs.until().get(1) > until);
        }
        clock.jump(LONG.dividedBy(2));
    }

    @FullTest(except = "postgresql")
    void rowThatIsLockedForLongEndsAlone() throws SQLException {
        assumeRowLocks();
        Jobs jobs = jobs(4);
        Dibs dibs = closing(clock.by(builder(pool())).build());
        Claim<RowKey> claim = jobs.claims(dibs).build().claim(3);
        Connection connection = connection();
        Statement statement = closing(connection.createStatement());
        Queue<RowKey> lost = lost(claim);
        connection.setAutoCommit(false);
        statement.execute("UPDATE " + jobs.table() + " SET what = 'locked' WHERE id = 1");
        passBesideRenewals(jobs);
        // The watch of the deadlines has not seen the clock jump. The deadline of another claim ends its sleep.
        jobs.claims(dibs).leaseLength(Duration.ofSeconds(1)).build().claim(1).keys();
        await().until(() -> !claim.isHeld(RowKey.of(1)));
        assertThat(claim.isHeld(RowKey.of(2))).isTrue();
        assertThat(claim.isHeld(RowKey.of(3))).isTrue();
        assertThat(claim.isValid()).isTrue();
        assertOnlyLost(lost, 1);
        connection.rollback();
        connection.setAutoCommit(true);
        assertThat(claim.complete(keys(2, 3)).isComplete()).isTrue();
    }

    @FullTest(except = "postgresql")
    void joinedCompletionThatOutlivesTheLeaseEndsItsRowsAlone() throws SQLException {
        assumeRowLocks();
        Jobs jobs = jobs(3);
        Claim<RowKey> claim =
                jobs.claims(closing(clock.by(builder(pool())).build())).build().claim(3);
        Connection connection = transaction();
        Queue<RowKey> lost = lost(claim);
        assertThat(claim.complete(connection, keys(1)).isComplete()).isTrue();
        passBesideRenewals(jobs);
        await().until(() -> !claim.isHeld(RowKey.of(1)));
        assertThat(claim.isHeld(RowKey.of(2))).isTrue();
        assertThat(claim.isValid()).isTrue();
        connection.commit();
        assertThat(claim.renew().done()).hasSize(2);
        takeAway(Place.TABLE, jobs, claim.token());
        claim.renew();
        assertOnlyLost(lost, 2, 3);
        assertThat(jobs.numbers("SELECT id FROM " + jobs.table() + " WHERE done_at = 1"))
                .containsExactly(1L);
    }
}
