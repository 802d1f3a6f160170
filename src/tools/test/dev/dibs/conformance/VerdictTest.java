package dev.dibs.conformance;

import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.DURATION;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A check that took too long for its lease is repeated with a longer one, and passes or fails by that. */
@Tag("unit")
class VerdictTest {

    private final List<Duration> leases = new ArrayList<>();
    private final AtomicLong clock = new AtomicLong();

    private Verdict verdict(Check.Trial trial) throws Exception {
        return Verdict.of(new Check(1, "x", trial), lease -> {
            leases.add(lease);
            return new Arena(
                    List.of(), Map.of(), new Address("localhost", 1, "none"), null, lease, new Standstill(clock::get));
        });
    }

    @Test
    void voidCheckIsRepeatedWithTheLeaseThatItWants() throws Exception {
        Duration wanted = Duration.ofSeconds(5);
        Verdict verdict = verdict(arena -> {
            if (arena.lease().compareTo(wanted) < 0) {
                throw new CheckVoid(wanted, "too slow");
            }
        });

        assertThat(verdict).isEqualTo(new Verdict(true, "ok       level 1  x"));
        assertThat(leases).hasSize(2).last().isEqualTo(wanted);
    }

    @Test
    void checkThatStaysVoidHasNotPassed() throws Exception {
        Verdict verdict = verdict(arena -> {
            throw new CheckVoid(Duration.ZERO, "too slow");
        });

        assertThat(verdict)
                .isEqualTo(
                        new Verdict(false, "VOID     level 1  x: too slow. Try again on a machine that is less busy"));
        assertThat(leases).hasSize(4);
        assertThat(leases.get(3)).isEqualTo(leases.get(0).multipliedBy(8));
    }

    @Test
    void failureOfAQuickClientIsNotRepeated() throws Exception {
        Verdict verdict = verdict(arena -> {
            throw new CheckFailed("wrong");
        });

        assertThat(verdict).isEqualTo(new Verdict(false, "FAILED   level 1  x: wrong"));
        assertThat(leases).hasSize(1);
    }

    /** It may have stood still between its answers. */
    @Test
    void failureIsConfirmedWithALongerLeaseIfTheClientHasToRun() throws Exception {
        Verdict verdict = verdict(new Check(1, "x", arena -> {
                    throw new CheckFailed("wrong");
                })
                .confirmed()
                .trial());

        assertThat(verdict).isEqualTo(new Verdict(false, "FAILED   level 1  x: wrong"));
        assertThat(leases).hasSize(2);
    }

    /** The clients reach the database through this process: while it stands still, no lease is renewed. */
    @Test
    void failureWhileTheRefereeStoodStillIsRepeated() throws Exception {
        Duration pause = Duration.ofSeconds(2);
        Verdict verdict = verdict(arena -> {
            if (leases.size() == 1) {
                // Again and again: the watch may begin only after the first one.
                await().until(() ->
                        clock.addAndGet(pause.toNanos()) > 0 && arena.slowest().compareTo(ofSeconds(1)) > 0);
                throw new CheckFailed("the lease was not renewed");
            }
        });
        assertThat(verdict.isPassed()).as(verdict.line()).isTrue();
        assertThat(leases).hasSize(2).last(DURATION).isGreaterThan(pause);
    }
}
