package dev.dibs.contract.claims;

import dev.dibs.Dibs;
import dev.dibs.claims.Claim;
import dev.dibs.claims.RowClaims;
import dev.dibs.claims.RowKey;
import dev.dibs.contract.support.ContractFixture;
import dev.dibs.contract.support.LeaseTable;
import dev.dibs.contract.support.SideJobs;
import dev.dibs.internal.sql.call.Database;
import dev.dibs.internal.sql.call.Params;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/**
 * Single statements about claims in the claim table, beside other claims and claims that are just being added, and about rows that have
 * left their range.
 */
class ClaimStatementContract extends ContractFixture {
    static final Duration NOT_SOON = Duration.ofMinutes(10);

    @Test
    void sideLookupFindsOnlyTheClaimsOfItsToken() throws Exception {
        SideJobs jobs = sideJobs(4);
        RowClaims<RowKey> claims = jobs.claims(here()).leaseLength(NOT_SOON).build();
        claims.claim(1);
        String token = RowClaims.newToken();
        assertThat(claims.claim(token, 2).keys())
                .as("a token that has none yet")
                .isEqualTo(keys(2, 3));
        Database database = asked(pool(), asked(pool(), "dibs_").statements().only("find_side", Map.of()));
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
        Database database = asked(pool(), asked(pool(), "dibs_").statements().only("drop_old_side", Map.of()));
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
        Database database = asked(pool(), asked(pool(), "dibs_").statements().only("claim_scattered", Map.of()));
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
}
