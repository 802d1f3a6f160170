package dev.dibs.contract.claims;

import static org.awaitility.Awaitility.await;

import dev.dibs.Dibs;
import dev.dibs.claims.Claim;
import dev.dibs.claims.ClaimResult;
import dev.dibs.claims.ClaimsBuilder;
import dev.dibs.claims.RowClaims;
import dev.dibs.claims.RowKey;
import dev.dibs.contract.support.ContractFixture;
import dev.dibs.contract.support.Jobs;
import dev.dibs.contract.support.LeaseTable;
import dev.dibs.contract.support.SideJobs;
import dev.dibs.database.FullTest;
import dev.dibs.internal.sql.call.Database;
import dev.dibs.internal.sql.call.Params;
import java.lang.ref.WeakReference;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/**
 * A claim whose rows have another holder by now changes nothing of them, for every way of storing claims, nor do single statements beside
 * other claims. One that holds no row any more is forgotten, also if it is never closed: else it would be watched for ever.
 */
class StaleClaimContract extends ContractFixture {
    private static final int CLAIMS = 1000;
    private static final int FEW = 20;
    private static final Duration NOT_SOON = Duration.ofMinutes(10);

    @FullTest(except = "postgresql")
    void aStaleClaimChangesNothing() throws Exception {
        Jobs jobs = jobs(3);
        assertStale(jobs.claims(here()).build());
        assertThat(jobs.done()).isEmpty();
        assertLost(jobs.claims(here()).completeDelete().build(), Claim::complete);
        assertThat(jobs.numbers("SELECT count(*) FROM " + jobs.table())).containsExactly(3L);
    }

    @Test
    void aStaleMarkerChangesNothing() throws Exception {
        Jobs jobs = jobs(3);
        RowClaims<RowKey> claims = jobs.markers(here()).build();
        assertLost(claims, claim -> claim.release(claim.keys()));
        assertLost(claims, Claim::complete);
        assertThat(jobs.done()).isEmpty();
        assertLost(jobs.markers(here()).completeDelete().build(), Claim::complete);
        assertThat(jobs.numbers("SELECT count(*) FROM " + jobs.table())).containsExactly(3L);
    }

    @FullTest(except = "postgresql")
    void staleSideClaimChangesNothing() throws Exception {
        SideJobs jobs = sideJobs(3);
        Connection connection = connection();
        RowClaims<RowKey> claims = jobs.claims(here()).build();
        assertStale(claims);
        assertLost(claims, claim -> completed(connection, claim));
        assertThat(jobs.done()).isEmpty();
        assertLost(jobs.claims(here()).completeDelete().build(), Claim::complete);
        assertThat(jobs.numbers("SELECT count(*) FROM " + jobs.table())).containsExactly(3L);
        assertLost(jobs.logged(here()).build(), Claim::complete);
    }

    /** Nobody has taken them over, but anybody might. */
    @FullTest(except = "postgresql")
    void aClaimThatHasExpiredIsNotRenewed() throws Exception {
        Jobs jobs = jobs(2);
        Jobs ranges = jobs(2);
        SideJobs besides = sideJobs(2);
        Map<ClaimsBuilder, String> all = Map.of(
                jobs.claims(here()), "UPDATE " + jobs.table() + " SET claimed_until = 1 WHERE claimed_until > 1",
                ranges.ranges(here()), "UPDATE dibs_range SET held_until = 1 WHERE scope = '" + ranges.table() + "'",
                besides.claims(here()), "UPDATE dibs_claim SET held_until = 1 WHERE scope = '" + besides.table() + "'");
        for (Map.Entry<ClaimsBuilder, String> one : all.entrySet()) {
            Claim<RowKey> claim = one.getKey().build().claim(2);
            jobs.run(one.getValue());
            assertThat(claim.renew().lost()).as(one.getValue()).hasSize(2);
        }
    }

    /** A release by a token releases no rows of another token. */
    @FullTest(except = "postgresql")
    void aTokenReleasesItsOwnRowsOnly() throws Exception {
        Jobs jobs = jobs(4);
        SideJobs besides = sideJobs(4);
        for (ClaimsBuilder builder : List.of(jobs.claims(here()), jobs.markers(here()), besides.claims(here()))) {
            RowClaims<RowKey> claims = builder.orderBy("id").build();
            Claim<RowKey> first = claims.claim(2);
            Claim<RowKey> second = claims.claim(2);
            assertThat(claims.find(first.token()).keys()).containsExactlyElementsOf(first.keys());
            assertThat(claims.release(first.token())).containsExactlyInAnyOrderElementsOf(first.keys());
            assertThat(claims.find(second.token()).keys()).containsExactlyElementsOf(second.keys());
            assertThat(claims.release(second.token())).containsExactlyInAnyOrderElementsOf(second.keys());
        }
    }

    @FullTest(except = "postgresql")
    void aStaleRangeChangesNothing() throws Exception {
        List<Function<Claim<RowKey>, ClaimResult>> changes = List.of(
                Claim::renew,
                claim -> claim.postpone(keys(2), Duration.ZERO),
                claim -> claim.release(claim.keys()),
                claim -> claim.complete(keys(1)),
                claim -> claim.complete(keys(2)),
                Claim::complete);
        Jobs jobs = jobs(3);
        RowClaims<RowKey> claims = jobs.ranges(here()).build();
        for (Function<Claim<RowKey>, ClaimResult> change : changes) {
            Claim<RowKey> first = claims.claim(3);
            Claim<RowKey> second = claims.find(first.token());
            claims.release(first.token());
            assertThat(change.apply(first).done()).as("nobody has it").isEmpty();
            Claim<RowKey> now = claims.claim(3);
            assertThat(now.size()).isEqualTo(3);
            assertThat(change.apply(second).done()).as("somebody else has it").isEmpty();
            assertThat(claims.find(now.token()).size()).isEqualTo(3);
            assertThat(jobs.numbers("SELECT count(*) FROM dibs_claim WHERE scope = '" + jobs.table() + "'"))
                    .containsExactly(0L);
            claims.release(now.token());
        }
    }

    @Test
    void rowsOutsideTheirRangeAreReleasedByTheirOwnTokenOnly() throws Exception {
        Jobs jobs = jobs(4);
        RowClaims<RowKey> claims = jobs.ranges(here()).build();
        Claim<RowKey> first = claims.claim(2);
        Claim<RowKey> second = claims.claim(2);
        first.postpone(keys(1), LONG);
        second.postpone(keys(3), LONG);
        claims.release(first.token());
        assertThat(second.renew().done()).isEqualTo(keys(4));
        assertThat(second.complete(keys(4)).done()).hasSize(1);
        assertThat(claims.count()).isEqualTo(3);
    }

    /** In a transaction of the caller's, which keeps its snapshot until it ends. */
    private static ClaimResult completed(Connection connection, Claim<RowKey> claim) {
        try {
            connection.setAutoCommit(false);
            ClaimResult result = claim.complete(connection, claim.keys());
            connection.commit();
            connection.setAutoCommit(true);
            return result;
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void assertStale(RowClaims<RowKey> claims) {
        assertLost(claims, Claim::renew);
        assertLost(claims, claim -> claim.postpone(claim.keys(), Duration.ZERO));
        assertLost(claims, claim -> claim.release(claim.keys()));
        assertLost(claims, Claim::complete);
    }

    private static void assertLost(RowClaims<RowKey> claims, Function<Claim<RowKey>, ClaimResult> change) {
        Claim<RowKey> stale = claims.claim(3);
        assertThat(claims.release(stale.token())).hasSize(3);
        Claim<RowKey> now = claims.claim(3);
        assertThat(now.size()).isEqualTo(3);
        ClaimResult result = change.apply(stale);
        assertThat(result.done()).isEmpty();
        assertThat(result.lost()).containsExactlyElementsOf(stale.keys());
        assertThat(claims.find(now.token()).size()).isEqualTo(3);
        assertThat(now.release(now.keys()).done()).hasSize(3);
    }

    private interface End {
        void of(RowClaims<RowKey> claims, Claim<RowKey> claim) throws Exception;
    }

    private static final End COMPLETES =
            (claims, claim) -> assertThat(claim.complete().isComplete()).isTrue();

    @FullTest(except = "postgresql")
    void thousandCompletedClaimsAreForgotten() throws Exception {
        Jobs jobs = jobs(CLAIMS);
        forgets(jobs.claims(here()).build(), CLAIMS, COMPLETES);
    }

    @Test
    void claimsWithoutTermInRangesAndBesideTheTableAreForgotten() throws Exception {
        Jobs jobs = jobs(FEW);
        SideJobs besides = sideJobs(FEW);
        forgets(jobs.ranges(here()).build(), FEW, COMPLETES);
        forgets(jobs.markers(here()).build(), FEW, COMPLETES);
        forgets(besides.claims(here()).build(), FEW, COMPLETES);
    }

    @Test
    void releasedPostponedAndLostClaimsAreForgotten() throws Exception {
        Duration hour = Duration.ofHours(1);
        List<End> ends = List.of(
                (claims, claim) -> claim.postpone(claim.keys(), hour),
                (claims, claim) -> {
                    claims.release(claim.token());
                    claim.renew();
                },
                (claims, claim) -> inTransaction(connection -> claim.complete(connection, claim.keys()), claim),
                (claims, claim) -> claim.release(claim.keys()));
        for (End end : ends) {
            Jobs jobs = jobs(FEW);
            forgets(jobs.claims(here()).leaseLength(hour).build(), FEW, end);
        }
    }

    @Test
    void theNextClaimIsNotForgottenWithTheOneBefore() throws Exception {
        Jobs jobs = jobs(2);
        RowClaims<RowKey> claims =
                jobs.claims(closing(oftenRenewed(pool()).build())).build();
        Claim<RowKey> unused = claims.claim(1).completeAndClaim(1).next();
        long until = jobs.until().get(1);
        await("a renewal").untilAsserted(() -> assertThat(jobs.until().get(1)).isGreaterThan(until));
    }

    /** The commit tells nobody: the next renewal misses the rows. */
    private void inTransaction(Function<Connection, ?> work, Claim<?> claim) throws Exception {
        try (Connection connection = pool().getConnection()) {
            connection.setAutoCommit(false);
            Object unused = work.apply(connection);
            connection.commit();
            connection.setAutoCommit(true);
        }
        claim.renew();
    }

    private static void forgets(RowClaims<RowKey> claims, int n, End end) throws Exception {
        List<WeakReference<Claim<RowKey>>> all = new ArrayList<>();
        for (int i = 0; i < n; i++) {
            all.add(ended(claims, end));
        }
        await().untilAsserted(() -> {
            System.gc();
            assertThat(all.stream().filter(one -> one.get() != null).count())
                    .as("claims that are kept")
                    .isZero();
        });
    }

    private static WeakReference<Claim<RowKey>> ended(RowClaims<RowKey> claims, End end) throws Exception {
        Claim<RowKey> claim = claims.claim(1);
        assertThat(claim.size()).isEqualTo(1);
        end.of(claims, claim);
        return new WeakReference<>(claim);
    }

    @Test
    void sideLookupFindsOnlyTheClaimsOfItsToken() throws Exception {
        SideJobs jobs = sideJobs(4);
        RowClaims<RowKey> claims = jobs.claims(here()).leaseLength(NOT_SOON).build();
        claims.claim(1);
        String token = RowClaims.newToken();
        assertThat(claims.claim(token, 2).keys())
                .as("a token that has none yet")
                .isEqualTo(keys(2, 3));
        Database database = alone("find_side");
        Params params = Params.of("scope", jobs.table()).with("token", token);
        assertThat(database.call("find_side", params, LeaseTable.TIMEOUT, row -> row.getString("dibs_token"))
                        .rows())
                .containsExactly(token, token);
    }

    @Test
    void sideClaimSkipsALockedRow() throws Exception {
        assumeRowLocks();
        SideJobs jobs = sideJobs(4);
        Dibs dibs = dibs(impatient());
        Connection other = transaction();
        run(other, "UPDATE " + jobs.table() + " SET times = 7 WHERE id IN (1, 2)");
        RowClaims<RowKey> claims = jobs.claims(dibs).leaseLength(NOT_SOON).build();
        assertThat(claims.claim(2).keys()).isEqualTo(keys(3, 4));
        other.rollback();
        assertThat(claims.claim(2).size()).isEqualTo(2);
    }

    /** Between the look for old claims and the deletion. */
    @Test
    void sidePurgeKeepsARowThatWasClaimedAgain() throws Exception {
        SideJobs jobs = sideJobs(1);
        jobs.claims(here()).leaseLength(NOT_SOON).build().claim(1);
        Database database = alone("drop_old_side");
        Params params = Params.of("scope", jobs.table()).with("row_key", "1").with("held_until", 1L);
        String claims = "SELECT count(*) FROM dibs_claim WHERE scope = '" + jobs.table() + "'";
        database.call("drop_old_side", params, LeaseTable.TIMEOUT);
        assertThat(jobs.one(claims)).isEqualTo(1);
        jobs.run("UPDATE dibs_claim SET held_until = 1 WHERE scope = '" + jobs.table() + "'");
        database.call("drop_old_side", params, LeaseTable.TIMEOUT);
        assertThat(jobs.one(claims)).isZero();
    }

    /** Between the look at the claims and the new claim. */
    @Test
    void sidePurgeKeepsAClaimInProgress() throws Exception {
        SideJobs jobs = sideJobs(1);
        Connection other = transaction();
        RowClaims<RowKey> claims = jobs.claims(here()).leaseLength(NOT_SOON).build();
        run(
                other,
                "INSERT INTO dibs_claim (scope, row_key, token, held_until) VALUES ('" + jobs.table()
                        + "', '1', 'other', 9000000000000)");
        CompletableFuture<Claim<RowKey>> asked = CompletableFuture.supplyAsync(() -> claims.claim(1));
        Thread.sleep(500);
        other.commit();
        assertThat(asked.get(1, TimeUnit.MINUTES).isEmpty()).isTrue();
        assertThat(jobs.one("SELECT count(*) FROM dibs_claim WHERE scope = '" + jobs.table() + "' AND token = 'other'"))
                .isEqualTo(1);
    }

    /** However many other rows come first. */
    @Test
    void freeScatteredRowsAreClaimed() throws Exception {
        String scope = fresh("scattered");
        for (int row = 1; row <= 9; row++) {
            sql().change(
                            "INSERT INTO dibs_claim (scope, row_key, token, held_until) VALUES (?, ?, 'other', ?)",
                            scope,
                            String.valueOf(row),
                            row == 5 ? 1 : 9_000_000_000_000L);
        }
        Database database = alone("claim_scattered");
        Params params = Params.of("scope", scope)
                .with("token", "mine")
                .with("lease", 600_000)
                .with("n", 1);
        for (String expected : new String[] {"5 mine", null}) {
            assertThat(database.call(
                                    "claim_scattered",
                                    params,
                                    LeaseTable.TIMEOUT,
                                    row -> row.getString("dibs_row") + " " + row.getString("dibs_token"))
                            .rows())
                    .isEqualTo(expected == null ? List.of() : List.of(expected));
        }
    }

    /** Sends this statement, without the calls around it. */
    private Database alone(String statement) throws SQLException {
        return asked(pool(), asked(pool(), "dibs_").statements().only(statement, Map.of()));
    }
}
