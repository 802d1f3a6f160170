package dev.dibs.contract.claims;

import static org.assertj.core.api.Assertions.assertThat;

import dev.dibs.Dibs;
import dev.dibs.claims.Claim;
import dev.dibs.claims.RowClaims;
import dev.dibs.claims.RowKey;
import dev.dibs.contract.support.BetweenSteps;
import dev.dibs.contract.support.Fixture;
import dev.dibs.contract.support.KeptClaims;
import dev.dibs.contract.support.KeptClaims.Way;
import dev.dibs.database.FullRun;
import dev.dibs.runs.RunWorkers;
import java.sql.Connection;
import java.util.EnumSet;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** No operation waits for locked claims, and dead rows do not count as left, for every way of storing claims. */
@Tag("contract")
class SideClaimLockContract extends Fixture {

    @Test
    @FullRun(except = "postgresql")
    void releaseDoesNotWaitForALockedRow() throws Exception {
        assumeRowLocks();
        for (Way way : EnumSet.of(Way.TABLE, Way.MARKER, Way.SIDE)) {
            try (BetweenSteps steps = new BetweenSteps(this);
                    Dibs dibs = dibs(steps.impatient);
                    KeptClaims rows = new KeptClaims(this, way, 3);
                    Connection other = pool().getConnection()) {
                RowClaims<RowKey> claims = rows.by(dibs);
                Claim<RowKey> claim = claims.claim(3);
                other.setAutoCommit(false);
                rows.lock(other, 2);
                assertThat(claim.release(List.of(RowKey.of(1), RowKey.of(2), RowKey.of(3)))
                                .done())
                        .as(way.name())
                        .contains(RowKey.of(1), RowKey.of(3));
                assertThat(rows.by(dibs).claim(3).keys()).as(way.name()).containsExactly(RowKey.of(1), RowKey.of(3));
                other.rollback();
                other.setAutoCommit(true);
            }
        }
    }

    @Test
    @FullRun(except = "postgresql")
    void aRunEndsBesideRowsThatWereGivenUp() throws Exception {
        for (Way way : EnumSet.complementOf(EnumSet.of(Way.MARKER))) {
            try (Dibs dibs = dibs();
                    KeptClaims rows = new KeptClaims(this, way, 3)) {
                rows.claimAll(rows.by(dibs));
                rows.dead_letter();
                try (RunWorkers<?> workers = dibs.run(fresh("left"))
                        .over(rows.by(dibs))
                        .work(key -> {})
                        .start()) {
                    assertThat(workers.await(LONG)).as(way.name()).isTrue();
                }
            }
        }
    }
}
