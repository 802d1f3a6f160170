package dev.dibs.contract.claims;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.dibs.Dibs;
import dev.dibs.claims.Claim;
import dev.dibs.claims.RowClaims;
import dev.dibs.claims.RowKey;
import dev.dibs.contract.support.Fixture;
import dev.dibs.contract.support.LeaseTable;
import dev.dibs.contract.support.SideJobs;
import dev.dibs.database.FullRun;
import dev.dibs.internal.sql.run.Database;
import dev.dibs.internal.sql.run.Params;
import dev.dibs.runs.RunWorkers;
import java.sql.Connection;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Single statements about claims in the claim table, beside other claims and claims that are just being added. */
@Tag("contract")
class SideStatementContract extends Fixture {

    static final Duration NOT_SOON = Duration.ofMinutes(10);

    @Test
    void sideLookupFindsOnlyTheClaimsOfItsToken() throws Exception {
        try (SideJobs jobs = new SideJobs(pool(), 4);
                Dibs dibs = dibs()) {
            RowClaims<RowKey> claims = jobs.claims(dibs).leaseLength(NOT_SOON).build();
            claims.claim(1);
            String token = RowClaims.newToken();
            assertThat(claims.claim(token, 2).keys())
                    .as("a token that has none yet")
                    .containsExactly(RowKey.of(2), RowKey.of(3));
            Database database =
                    asked(pool(), asked(pool(), "dibs_").statements().only("find_side", Map.of()));
            Params params = Params.of("scope", jobs.table()).with("token", token);
            assertThat(database.call("find_side", params, LeaseTable.TIMEOUT, row -> row.getString("dibs_token"))
                            .rows())
                    .containsExactly(token, token);
        }
    }

    @Test
    void sideClaimSkipsALockedRow() throws Exception {
        assumeRowLocks();
        try (SideJobs jobs = new SideJobs(pool(), 4);
                HikariDataSource impatient = impatient();
                Dibs dibs = dibs(impatient);
                Connection other = pool().getConnection()) {
            other.setAutoCommit(false);
            run(other, "UPDATE " + jobs.table() + " SET times = 7 WHERE id IN (1, 2)");
            RowClaims<RowKey> claims = jobs.claims(dibs).leaseLength(NOT_SOON).build();
            assertThat(claims.claim(2).keys()).containsExactly(RowKey.of(3), RowKey.of(4));
            other.rollback();
            other.setAutoCommit(true);
            assertThat(claims.claim(2).size()).isEqualTo(2);
        }
    }

    /** Between the look for old claims and the deletion. */
    @Test
    void sidePurgeKeepsARowThatWasClaimedAgain() throws Exception {
        try (SideJobs jobs = new SideJobs(pool(), 1);
                Dibs dibs = dibs()) {
            jobs.claims(dibs).leaseLength(NOT_SOON).build().claim(1);
            Database database =
                    asked(pool(), asked(pool(), "dibs_").statements().only("drop_old_side", Map.of()));
            Params params =
                    Params.of("scope", jobs.table()).with("row_key", "1").with("held_until", 1L);
            String claims = "SELECT count(*) FROM dibs_claim WHERE scope = '" + jobs.table() + "'";
            database.call("drop_old_side", params, LeaseTable.TIMEOUT);
            assertThat(jobs.one(claims)).isEqualTo(1);
            jobs.run("UPDATE dibs_claim SET held_until = 1 WHERE scope = '" + jobs.table() + "'");
            database.call("drop_old_side", params, LeaseTable.TIMEOUT);
            assertThat(jobs.one(claims)).isZero();
        }
    }

    /** Between the look at the claims and the new claim. */
    @Test
    void sidePurgeKeepsAClaimInProgress() throws Exception {
        try (SideJobs jobs = new SideJobs(pool(), 1);
                Dibs dibs = dibs();
                Connection other = pool().getConnection()) {
            RowClaims<RowKey> claims = jobs.claims(dibs).leaseLength(NOT_SOON).build();
            other.setAutoCommit(false);
            run(
                    other,
                    "INSERT INTO dibs_claim (scope, row_key, token, held_until) VALUES ('" + jobs.table()
                            + "', '1', 'other', 9000000000000)");
            CompletableFuture<Claim<RowKey>> asked = CompletableFuture.supplyAsync(() -> claims.claim(1));
            Thread.sleep(500);
            other.commit();
            other.setAutoCommit(true);
            assertThat(asked.get(1, TimeUnit.MINUTES).isEmpty()).isTrue();
            assertThat(jobs.one(
                            "SELECT count(*) FROM dibs_claim WHERE scope = '" + jobs.table() + "' AND token = 'other'"))
                    .isEqualTo(1);
        }
    }

    @Test
    @FullRun(except = "postgresql")
    void sideRunEndsWhenOnlyDeadLettersAreLeft() throws Exception {
        try (SideJobs jobs = new SideJobs(pool(), 3);
                Dibs dibs = dibs();
                RunWorkers<?> workers = dibs.run(fresh("given-up"))
                        .over(jobs.claims(dibs).build())
                        .maxAttempts(1)
                        .work(key -> {
                            if (key.asLong() == 2) {
                                throw new IllegalStateException("no");
                            }
                        })
                        .start()) {
            assertThat(workers.await(LONG)).as("it ends").isTrue();
            assertThat(jobs.done()).containsExactly(1L, 3L);
        }
    }
}
