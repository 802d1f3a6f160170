package dev.dibs.contract.claims;

import dev.dibs.Dibs;
import dev.dibs.JumpingClock;
import dev.dibs.claims.Claim;
import dev.dibs.claims.ClaimsBuilder;
import dev.dibs.claims.RowClaims;
import dev.dibs.claims.RowKey;
import dev.dibs.contract.support.Fixture;
import dev.dibs.contract.support.Jobs;
import dev.dibs.contract.support.SideJobs;
import dev.dibs.database.FaultyDataSource;
import java.time.Duration;
import java.util.concurrent.Callable;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Claims that are sent late: the database holds their rows for another lease when the caller can no longer rely on them. */
@Tag("fault")
class LateClaimContract extends Fixture {

    private static final Duration LEASE_LENGTH = Duration.ofMinutes(10);

    private final JumpingClock clock = new JumpingClock();
    private FaultyDataSource faulty;

    private RowClaims<RowKey> claims(String way) throws Exception {
        faulty = new FaultyDataSource(pool());
        Dibs dibs = closing(clock.by(builder(faulty)).build());
        Jobs jobs = jobs(3);
        ClaimsBuilder claims = switch (way) {
            case "table" -> jobs.claims(dibs);
            case "side table" -> closing(new SideJobs(pool(), 3)).claims(dibs);
            default -> jobs.ranges(dibs);
        };
        return claims.leaseLength(LEASE_LENGTH).build();
    }

    private Callable<Void> lateness() {
        return () -> {
            clock.jump(LEASE_LENGTH);
            return null;
        };
    }

    @ParameterizedTest
    @ValueSource(strings = {"table", "side table", "ranges"})
    void theRowsAreFreeForTheNextTry(String way) throws Exception {
        RowClaims<RowKey> claims = claims(way);
        faulty.on(sql -> true).here().actBefore(lateness());
        Claim<RowKey> claim = claims.claim(3);
        assertThat(claim.keys()).hasSize(3);
        assertThat(claim.complete().done()).hasSize(3);
    }

    @ParameterizedTest
    @ValueSource(strings = {"table", "side table", "ranges"})
    void theRowsOfANextClaimAreSoonFree(String way) throws Exception {
        RowClaims<RowKey> claims = claims(way);
        Claim<RowKey> first = claims.claim(1);
        faulty.on(sql -> true).here().actBefore(lateness());
        Claim<RowKey> late = first.completeAndClaim(2).next();
        assertThat(late.isHeld(RowKey.of(2))).isFalse();
        assertThat(Awaitility.await()
                        .until(() -> claims.claim(2), claim -> claim.size() == 2)
                        .keys())
                .containsExactlyInAnyOrder(RowKey.of(2), RowKey.of(3));
    }
}
