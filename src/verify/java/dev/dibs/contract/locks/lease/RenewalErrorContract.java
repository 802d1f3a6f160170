package dev.dibs.contract.locks.lease;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.dibs.Dibs;
import dev.dibs.Lease;
import dev.dibs.OftenRenewed;
import dev.dibs.claims.Claim;
import dev.dibs.claims.RowClaims;
import dev.dibs.claims.RowKey;
import dev.dibs.contract.support.Fixture;
import dev.dibs.contract.support.Jobs;
import dev.dibs.database.FaultyDataSource;
import dev.dibs.database.FullRun;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A renewal that ends by an error of its thread is sent again soon: not a third of the lease later. */
@Tag("contract")
class RenewalErrorContract extends Fixture {

    /** If each waited for a third of the lease, the lease would be over. */
    private static final int FAILURES = 3;

    private static final String CLAIMS = "dibs-claims";

    /** The first statement of a renewal, and not what ends its transaction. */
    private static FaultyDataSource.Fault onRenewal(FaultyDataSource faulty, String thread) {
        return faulty.on(sql ->
                sql.contains("_until") && Thread.currentThread().getName().equals(thread));
    }

    private static void spoil(FaultyDataSource faulty, String thread) {
        for (int time = 1; time <= FAILURES; time++) {
            onRenewal(faulty, thread).time(time).actBefore(RenewalErrorContract::error);
        }
    }

    private static Object error() {
        throw new OutOfMemoryError("planted");
    }

    @Test
    @FullRun(except = "postgresql")
    void aLeaseIsRenewedSoonAfterAnError() {
        FaultyDataSource faulty = new FaultyDataSource(pool());
        spoil(faulty, "dibs-heartbeat");
        Duration nearlyAll = LONG.multipliedBy(3).dividedBy(4);
        try (Dibs dibs = OftenRenewed.once(builder(faulty)).build();
                Lease lease = dibs.lock(fresh("spoilt")).tryAcquire().orElseThrow()) {
            await().atMost(LONG.multipliedBy(2))
                    .until(() -> !lease.isValid()
                            || (faulty.struck().size() == FAILURES
                                    && lease.remaining().compareTo(nearlyAll) > 0));
            assertThat(lease.isValid()).isTrue();
        }
    }

    @Test
    @FullRun(except = "postgresql")
    void aClaimIsRenewedSoonAfterAnError() throws Exception {
        FaultyDataSource faulty = new FaultyDataSource(pool());
        try (Jobs jobs = new Jobs(pool(), 2);
                Dibs dibs = OftenRenewed.once(builder(faulty)).build()) {
            RowClaims<RowKey> claims = jobs.claims(dibs).build();
            spoil(faulty, CLAIMS);
            try (Claim<RowKey> claim = claims.claim(1)) {
                AtomicBoolean sentAgain = new AtomicBoolean();
                onRenewal(faulty, CLAIMS).time(FAILURES + 1).actAfter(() -> sentAgain.getAndSet(claim.isValid()));
                await().atMost(LONG.multipliedBy(2)).until(() -> !claim.isValid() || sentAgain.get());
                assertThat(claim.isValid()).isTrue();
            }
        }
    }
}
