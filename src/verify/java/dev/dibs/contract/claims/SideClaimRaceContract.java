package dev.dibs.contract.claims;

import static org.assertj.core.api.Assertions.assertThat;

import dev.dibs.Dibs;
import dev.dibs.claims.Claim;
import dev.dibs.claims.RowClaims;
import dev.dibs.claims.RowKey;
import dev.dibs.contract.support.Fixture;
import dev.dibs.contract.support.SideJobs;
import dev.dibs.database.FullRun;
import java.sql.Connection;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Many claims on rows of a table that has no column for claims: each row is completed once. */
@Tag("race")
class SideClaimRaceContract extends Fixture {

    @Test
    @FullRun(except = "postgresql")
    void sideTableGivesEachRowToOneOfEightThreads() throws Exception {
        int rows = 2000;
        try (SideJobs jobs = new SideJobs(pool(), rows);
                Dibs dibs = dibs()) {
            RowClaims<RowKey> claims =
                    jobs.claims(dibs).leaseLength(Duration.ofSeconds(30)).build();
            inThreads(8, number -> {
                Claim<RowKey> claim = claims.claim(20);
                while (!claim.isEmpty() || !jobs.numbers(open(jobs)).isEmpty()) {
                    claim = claim.isEmpty()
                            ? claims.claim(20)
                            : claim.completeAndClaim(20).next();
                }
            });
            assertThat(jobs.completions()).containsExactly((long) rows, (long) rows);
        }
    }

    private static String open(SideJobs jobs) {
        return "SELECT id FROM " + jobs.table() + " WHERE done_at IS NULL";
    }

    /** Few rows and short claims, so that a claim often chooses a row that is just being completed. */
    @Test
    @FullRun(except = "postgresql")
    void sideTableTakesACompletionAndAClaimAtOnce() throws Exception {
        int rows = 300;
        try (SideJobs jobs = new SideJobs(pool(), rows);
                Dibs dibs = dibs()) {
            RowClaims<RowKey> claims =
                    jobs.claims(dibs).leaseLength(Duration.ofSeconds(30)).build();
            inThreads(2, number -> {
                while (!jobs.numbers(open(jobs)).isEmpty()) {
                    Claim<RowKey> claim = claims.claim(1);
                    claim.complete();
                }
            });
            assertThat(jobs.completions()).containsExactly((long) rows, (long) rows);
        }
    }

    /** The user's row is not changed, so only the look at it after the claim finds that it is completed. */
    @Test
    @FullRun(except = "postgresql")
    void sideRunLogsEachRowOnce() throws Exception {
        int rows = 400;
        try (SideJobs jobs = new SideJobs(pool(), rows);
                Dibs dibs = dibs()) {
            RowClaims<RowKey> claims =
                    jobs.logged(dibs).leaseLength(Duration.ofSeconds(30)).build();
            inThreads(4, number -> {
                while (jobs.logged().get(0) < rows) {
                    logAll(jobs, claims.claim(2));
                }
            });
            assertThat(jobs.logged()).containsExactly((long) rows, (long) rows);
        }
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
}
