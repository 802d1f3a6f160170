package dev.dibs.contract.claims;

import static org.assertj.core.api.Assertions.assertThat;

import dev.dibs.Dibs;
import dev.dibs.claims.Claim;
import dev.dibs.claims.ClaimResult;
import dev.dibs.claims.ClaimsBuilder;
import dev.dibs.claims.RowClaims;
import dev.dibs.claims.RowKey;
import dev.dibs.contract.support.Fixture;
import dev.dibs.contract.support.Jobs;
import dev.dibs.contract.support.SideJobs;
import dev.dibs.database.FullRun;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A claim whose rows have another holder by now changes nothing of them, for every way of storing claims. */
@Tag("contract")
class StaleClaimContract extends Fixture {

    @Test
    @FullRun(except = "postgresql")
    void aStaleClaimChangesNothing() throws Exception {
        try (Jobs jobs = new Jobs(pool(), 3);
                Dibs dibs = dibs()) {
            assertStale(jobs.claims(dibs).leaseLength(LONG).build());
            assertThat(jobs.done()).isEmpty();
            assertLost(jobs.claims(dibs).leaseLength(LONG).completeDelete().build(), Claim::complete);
            assertThat(jobs.numbers("SELECT count(*) FROM " + jobs.table())).containsExactly(3L);
        }
    }

    @Test
    void aStaleMarkerChangesNothing() throws Exception {
        try (Jobs jobs = new Jobs(pool(), 3);
                Dibs dibs = dibs()) {
            RowClaims<RowKey> claims = jobs.markers(dibs).build();
            assertLost(claims, claim -> claim.release(claim.keys()));
            assertLost(claims, Claim::complete);
            assertThat(jobs.done()).isEmpty();
            assertLost(jobs.markers(dibs).completeDelete().build(), Claim::complete);
            assertThat(jobs.numbers("SELECT count(*) FROM " + jobs.table())).containsExactly(3L);
        }
    }

    @Test
    @FullRun(except = "postgresql")
    void staleSideClaimChangesNothing() throws Exception {
        try (SideJobs jobs = new SideJobs(pool(), 3);
                Dibs dibs = dibs();
                Connection connection = pool().getConnection()) {
            RowClaims<RowKey> claims = jobs.claims(dibs).leaseLength(LONG).build();
            assertStale(claims);
            assertLost(claims, claim -> completed(connection, claim));
            assertThat(jobs.done()).isEmpty();
            assertLost(jobs.claims(dibs).leaseLength(LONG).completeDelete().build(), Claim::complete);
            assertThat(jobs.numbers("SELECT count(*) FROM " + jobs.table())).containsExactly(3L);
            assertLost(jobs.logged(dibs).leaseLength(LONG).build(), Claim::complete);
        }
    }

    /** Nobody has taken them over, but anybody might. */
    @Test
    @FullRun(except = "postgresql")
    void aClaimThatHasPassedIsNotRenewed() throws Exception {
        try (Jobs jobs = new Jobs(pool(), 2);
                Jobs ranges = new Jobs(pool(), 2);
                SideJobs besides = new SideJobs(pool(), 2);
                Dibs dibs = dibs()) {
            Map<ClaimsBuilder, String> all = Map.of(
                    jobs.claims(dibs), "UPDATE " + jobs.table() + " SET claimed_until = 1 WHERE claimed_until > 1",
                    ranges.ranges(dibs), "UPDATE dibs_range SET held_until = 1 WHERE scope = '" + ranges.table() + "'",
                    besides.claims(dibs),
                            "UPDATE dibs_claim SET held_until = 1 WHERE scope = '" + besides.table() + "'");
            for (Map.Entry<ClaimsBuilder, String> one : all.entrySet()) {
                Claim<RowKey> claim = one.getKey().leaseLength(LONG).build().claim(2);
                jobs.run(one.getValue());
                assertThat(claim.renew().lost()).as(one.getValue()).hasSize(2);
            }
        }
    }

    /** A release by a token releases no rows of another token. */
    @Test
    @FullRun(except = "postgresql")
    void aTokenReleasesItsOwnRowsOnly() throws Exception {
        try (Jobs jobs = new Jobs(pool(), 4);
                SideJobs besides = new SideJobs(pool(), 4);
                Dibs dibs = dibs()) {
            for (ClaimsBuilder builder : List.of(jobs.claims(dibs), jobs.markers(dibs), besides.claims(dibs))) {
                RowClaims<RowKey> claims = builder.orderBy("id").build();
                Claim<RowKey> first = claims.claim(2);
                Claim<RowKey> second = claims.claim(2);
                assertThat(claims.find(first.token()).keys()).containsExactlyElementsOf(first.keys());
                assertThat(claims.release(first.token())).containsExactlyInAnyOrderElementsOf(first.keys());
                assertThat(claims.find(second.token()).keys()).containsExactlyElementsOf(second.keys());
                assertThat(claims.release(second.token())).containsExactlyInAnyOrderElementsOf(second.keys());
            }
        }
    }

    @Test
    @FullRun(except = "postgresql")
    void aStaleRangeChangesNothing() throws Exception {
        List<Function<Claim<RowKey>, ClaimResult>> changes = List.of(
                Claim::renew,
                claim -> claim.postpone(List.of(RowKey.of(2)), Duration.ZERO),
                claim -> claim.release(claim.keys()),
                claim -> claim.complete(List.of(RowKey.of(1))),
                claim -> claim.complete(List.of(RowKey.of(2))),
                Claim::complete);
        try (Jobs jobs = new Jobs(pool(), 3);
                Dibs dibs = dibs()) {
            RowClaims<RowKey> claims = jobs.ranges(dibs).leaseLength(LONG).build();
            for (Function<Claim<RowKey>, ClaimResult> change : changes) {
                Claim<RowKey> first = claims.claim(3);
                Claim<RowKey> second = claims.find(first.token());
                claims.release(first.token());
                assertThat(change.apply(first).done()).as("nobody has it").isEmpty();
                Claim<RowKey> now = claims.claim(3);
                assertThat(now.size()).isEqualTo(3);
                assertThat(change.apply(second).done())
                        .as("somebody else has it")
                        .isEmpty();
                assertThat(claims.find(now.token()).size()).isEqualTo(3);
                assertThat(jobs.numbers("SELECT count(*) FROM dibs_claim WHERE scope = '" + jobs.table() + "'"))
                        .containsExactly(0L);
                claims.release(now.token());
            }
        }
    }

    @Test
    void rowsOutsideTheirRangeAreReleasedByTheirOwnTokenOnly() throws Exception {
        try (Jobs jobs = new Jobs(pool(), 4);
                Dibs dibs = dibs()) {
            RowClaims<RowKey> claims = jobs.ranges(dibs).leaseLength(LONG).build();
            Claim<RowKey> first = claims.claim(2);
            Claim<RowKey> second = claims.claim(2);
            first.postpone(List.of(RowKey.of(1)), LONG);
            second.postpone(List.of(RowKey.of(3)), LONG);
            claims.release(first.token());
            assertThat(second.renew().done()).containsExactly(RowKey.of(4));
            assertThat(second.complete(List.of(RowKey.of(4))).done()).hasSize(1);
            assertThat(claims.count()).isEqualTo(3);
        }
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
}
