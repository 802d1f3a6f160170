package dev.dibs.contract.claims;

import static org.assertj.core.api.Assertions.assertThat;

import dev.dibs.Dibs;
import dev.dibs.claims.Claim;
import dev.dibs.claims.RowClaims;
import dev.dibs.claims.RowKey;
import dev.dibs.contract.support.Fixture;
import dev.dibs.contract.support.Jobs;
import dev.dibs.database.FullRun;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Free rows are found among many claimed ones. */
@Tag("contract")
class RangeClaimSearchContract extends Fixture {

    @Test
    @FullRun(except = "postgresql")
    void theRangeThatHasPassedIsFoundAmongMany() throws Exception {
        try (Jobs jobs = new Jobs(pool(), 50);
                Dibs dibs = dibs()) {
            RowClaims<RowKey> claims =
                    jobs.ranges(dibs).leaseLength(Duration.ofMinutes(10)).build();
            for (int i = 0; i < 40; i++) {
                assertThat(claims.claim(1).size()).isEqualTo(1);
            }
            String ranges = " FROM dibs_range WHERE scope = '" + jobs.table() + "' AND id <> 'dibs-cursor'";
            long first = jobs.numbers("SELECT first_key" + ranges + " ORDER BY id DESC")
                    .get(0);
            jobs.run("UPDATE dibs_range SET held_until = 4 WHERE scope = '" + jobs.table() + "' AND first_key = "
                    + first);
            assertThat(claims.claim(1).keys()).containsExactly(RowKey.of(first));
        }
    }

    @Test
    void theRowThatHasLeftItsRangeIsFoundAmongMany() throws Exception {
        try (Jobs jobs = new Jobs(pool(), 50);
                Dibs dibs = dibs()) {
            Claim<RowKey> all = jobs.ranges(dibs)
                    .leaseLength(Duration.ofMinutes(10))
                    .build()
                    .claim(40);
            all.complete(List.of(RowKey.of(20)));
            jobs.run("UPDATE dibs_claim SET held_until = 4 WHERE scope = '" + jobs.table() + "' AND row_key = '9'");
            assertThat(jobs.ranges(dibs).build().claim(1).keys()).containsExactly(RowKey.of(9));
        }
    }
}
