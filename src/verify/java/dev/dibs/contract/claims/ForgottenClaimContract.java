package dev.dibs.contract.claims;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.dibs.Dibs;
import dev.dibs.claims.Claim;
import dev.dibs.claims.RowClaims;
import dev.dibs.claims.RowKey;
import dev.dibs.contract.support.Fixture;
import dev.dibs.contract.support.Jobs;
import dev.dibs.contract.support.SideJobs;
import java.lang.ref.WeakReference;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A claim that holds no row any more is forgotten, also if it is never closed: else it would be watched for ever. */
@Tag("contract")
class ForgottenClaimContract extends Fixture {

    private static final int CLAIMS = 1000;
    private static final int FEW = 20;

    private interface End {
        void of(RowClaims<RowKey> claims, Claim<RowKey> claim) throws Exception;
    }

    @Test
    void thousandCompletedClaimsAreForgotten() throws Exception {
        try (Jobs jobs = new Jobs(pool(), CLAIMS);
                Dibs dibs = dibs()) {
            forgets(
                    jobs.claims(dibs).build(),
                    CLAIMS,
                    (claims, claim) -> assertThat(claim.complete().isComplete()).isTrue());
        }
    }

    @Test
    void claimsWithoutTermInRangesAndBesideTheTableAreForgotten() throws Exception {
        End completes =
                (claims, claim) -> assertThat(claim.complete().isComplete()).isTrue();
        try (Jobs jobs = new Jobs(pool(), FEW);
                SideJobs besides = new SideJobs(pool(), FEW);
                Dibs dibs = dibs()) {
            forgets(jobs.ranges(dibs).build(), FEW, completes);
            forgets(jobs.markers(dibs).build(), FEW, completes);
            forgets(besides.claims(dibs).build(), FEW, completes);
        }
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
            try (Jobs jobs = new Jobs(pool(), FEW);
                    Dibs dibs = dibs()) {
                forgets(jobs.claims(dibs).leaseLength(hour).build(), FEW, end);
            }
        }
    }

    @Test
    void theNextClaimIsNotForgottenWithTheOneBefore() throws Exception {
        try (Jobs jobs = new Jobs(pool(), 2);
                Dibs dibs = dibs()) {
            RowClaims<RowKey> claims =
                    jobs.claims(dibs).leaseLength(Duration.ofSeconds(3)).build();
            try (Claim<RowKey> unused = claims.claim(1).completeAndClaim(1).next()) {
                long until = jobs.until().get(1);
                await("a renewal")
                        .untilAsserted(() -> assertThat(jobs.until().get(1)).isGreaterThan(until));
            }
        }
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
}
