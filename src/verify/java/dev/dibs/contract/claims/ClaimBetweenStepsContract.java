package dev.dibs.contract.claims;

import dev.dibs.Dibs;
import dev.dibs.claims.Claim;
import dev.dibs.claims.RowClaims;
import dev.dibs.claims.RowKey;
import dev.dibs.contract.support.BetweenSteps;
import dev.dibs.contract.support.BetweenSteps.Scene;
import dev.dibs.contract.support.Fixture;
import dev.dibs.contract.support.KeptClaims;
import dev.dibs.contract.support.KeptClaims.Way;
import dev.dibs.database.FullRun;
import dev.dibs.database.FullTest;
import dev.dibs.database.SteppedDataSource.Meanwhile;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Another caller acts between any two steps of an operation on a claim, for each way of storing claims. No row has two holders, each is
 * completed once, and the other caller does not wait.
 */
@Tag("steps")
class ClaimBetweenStepsContract extends Fixture {

    static final int ROWS = 5;

    /** Operations on a claim; each returns the rows that it has completed. */
    static final Map<String, Function<Claim<RowKey>, List<RowKey>>> DEEDS = Map.of(
            "complete", claim -> claim.complete().done(),
            "complete one", claim -> claim.complete(keys(2)).done(),
            "release", claim -> nothing(claim.release(claim.keys())));

    /** Operations on claims that end by time. */
    static final Map<String, Function<Claim<RowKey>, List<RowKey>>> TIMED = Map.of(
            "renew", claim -> nothing(claim.renew()),
            "put off", claim -> nothing(claim.postpone(keys(2), Duration.ZERO)));

    private static List<RowKey> nothing(Object answer) {
        assertThat(answer).isNotNull();
        return List.of();
    }

    /** Not for ranges: a claim of a range waits for another claim that is running. */
    @FullTest(except = "postgresql")
    void claimMeetsAnotherClaimBetweenSteps() throws Exception {
        for (Way way : EnumSet.of(Way.TABLE, Way.MARKER, Way.SIDE)) {
            each(way, way + " claim", (mine, theirs, claims) -> {
                List<RowKey> done = new ArrayList<>();
                RowClaims<RowKey> one = claims.by(mine);
                RowClaims<RowKey> other = claims.by(theirs);
                return new Scene(
                        () -> done.addAll(one.claim(2).complete().done()),
                        () -> done.addAll(other.claim(2).complete().done()),
                        () -> assertEachOnce(claims, theirs, done));
            });
        }
    }

    @FullTest(except = "postgresql")
    void takeoverMeetsALateRenewalBetweenSteps() throws Exception {
        for (Way way : EnumSet.complementOf(EnumSet.of(Way.MARKER))) {
            each(way, way + " takeover", (mine, theirs, claims) -> {
                List<RowKey> done = new ArrayList<>();
                Claim<RowKey> old = claims.claimAll(claims.by(theirs));
                claims.pass(old.token());
                AtomicInteger renewed = new AtomicInteger();
                RowClaims<RowKey> next = claims.anew(mine);
                return new Scene(
                        () -> done.addAll(next.claim(3).complete().done()),
                        () -> renewed.set(claims.renewLate(old.token())),
                        () -> {
                            List<RowKey> kept = old.complete().done();
                            assertThat(kept).hasSize(way == Way.RANGE ? ROWS * renewed.get() : renewed.get());
                            done.addAll(kept);
                            assertEachOnce(claims, theirs, done);
                        });
            });
        }
    }

    @FullRun(except = "postgresql")
    @ParameterizedTest
    @EnumSource
    void lateCallMeetsTheReleaseOfItsRowsBetweenSteps(Way way) throws Exception {
        lateCalls(way, true);
    }

    @FullRun
    @ParameterizedTest
    @EnumSource(names = "MARKER", mode = EnumSource.Mode.EXCLUDE)
    void lateCallLosesRowsTakenOverBetweenSteps(Way way) throws Exception {
        lateCalls(way, false);
    }

    /** By its token, for a claim that has expired. */
    @FullTest(except = "postgresql")
    void releaseByTokenSparesRowsTakenOverBetweenSteps() throws Exception {
        for (Way way : EnumSet.complementOf(EnumSet.of(Way.MARKER))) {
            each(way, way + " release by token", (mine, theirs, claims) -> {
                List<RowKey> done = new ArrayList<>();
                Claim<RowKey> old = claims.claimAll(claims.by(mine));
                claims.pass(old.token());
                List<Claim<RowKey>> next = new ArrayList<>();
                RowClaims<RowKey> again = claims.anew(theirs);
                return new Scene(() -> claims.by(mine).release(old.token()), () -> next.add(again.claim(3)), () -> {
                    assertThat(next.get(0).complete().lost()).isEmpty();
                    done.addAll(next.get(0).keys());
                    assertEachOnce(claims, theirs, done);
                });
            });
        }
    }

    private void lateCalls(Way way, boolean byForce) throws Exception {
        Map<String, Function<Claim<RowKey>, List<RowKey>>> deeds = new LinkedHashMap<>(DEEDS);
        deeds.putAll(way == Way.MARKER ? Map.of() : TIMED);
        if (way == Way.RANGE) {
            deeds.put("complete the first", claim -> claim.complete(keys(1)).done());
        }
        for (var deed : deeds.entrySet()) {
            each(way, way + " " + deed.getKey(), (mine, theirs, claims) -> {
                List<RowKey> done = new ArrayList<>();
                Claim<RowKey> old = claims.claimAll(claims.by(mine));
                List<Claim<RowKey>> next = new ArrayList<>();
                if (!byForce) {
                    claims.pass(old.token());
                }
                RowClaims<RowKey> again = claims.anew(theirs);
                Meanwhile takes = () -> {
                    if (byForce) {
                        again.release(old.token());
                    }
                    next.add(again.claim(3));
                };
                return new Scene(() -> done.addAll(deed.getValue().apply(old)), takes, () -> {
                    Claim<RowKey> now = next.get(0);
                    assertThat(again.find(now.token()).keys()).containsExactlyElementsOf(now.keys());
                    assertThat(now.complete().lost()).isEmpty();
                    done.addAll(now.keys());
                    again.release(old.token());
                    assertEachOnce(claims, theirs, done);
                });
            });
        }
    }

    /** Rows that were not completed are still to be processed. */
    private static void assertEachOnce(KeptClaims claims, Dibs by, List<RowKey> done) {
        assertThat(done).doesNotHaveDuplicates();
        assertThat(done.size() + claims.by(by).count()).isEqualTo(claims.toDo(ROWS));
    }

    /** Makes a scene of the two claims and the rows. */
    interface Playing {
        Scene scene(Dibs mine, Dibs theirs, KeptClaims claims) throws Exception;
    }

    private void each(Way way, String what, Playing playing) throws Exception {
        assumeRowLocks();
        BetweenSteps steps = closing(new BetweenSteps(this));
        Dibs mine = dibs(steps.stepped);
        Dibs theirs = dibs(steps.impatient);
        KeptClaims claims = closing(new KeptClaims(this, way, ROWS));
        steps.each(what, () -> {
            claims.reset();
            return playing.scene(mine, theirs, claims);
        });
    }
}
