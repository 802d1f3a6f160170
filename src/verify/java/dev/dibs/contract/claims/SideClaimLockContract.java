package dev.dibs.contract.claims;

import dev.dibs.Dibs;
import dev.dibs.claims.Claim;
import dev.dibs.claims.RowClaims;
import dev.dibs.claims.RowKey;
import dev.dibs.contract.support.BetweenSteps;
import dev.dibs.contract.support.ContractFixture;
import dev.dibs.contract.support.KeptClaims;
import dev.dibs.contract.support.KeptClaims.Way;
import dev.dibs.database.FullTest;
import dev.dibs.runs.RunWorkers;
import java.sql.Connection;
import java.util.EnumSet;
import java.util.List;

/** No operation waits for locked claims, and dead rows do not count as left, for every way of storing claims. */
class SideClaimLockContract extends ContractFixture {

    @FullTest(except = "postgresql")
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

    @FullTest(except = "postgresql")
    void aRunEndsBesideRowsThatWereGivenUp() throws Exception {
        for (Way way : EnumSet.complementOf(EnumSet.of(Way.MARKER))) {
            KeptClaims rows = closing(new KeptClaims(this, way, 3));
            rows.claimAll(rows.by(here()));
            rows.dead_letter();
            try (RunWorkers<?> workers = here().run(fresh("left"))
                    .over(rows.by(here()))
                    .work(key -> {})
                    .start()) {
                assertThat(workers.await(LONG)).as(way.name()).isTrue();
            }
        }
    }
}
