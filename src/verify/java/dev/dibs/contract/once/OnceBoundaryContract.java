package dev.dibs.contract.once;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.dibs.Dibs;
import dev.dibs.contract.support.Fixture;
import dev.dibs.once.Once;
import dev.dibs.once.OnceOutcome;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalTime;
import java.time.ZoneOffset;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Work of a calendar belongs to the period in which it began. */
@Tag("contract")
class OnceBoundaryContract extends Fixture {

    /** When the period began: an hour ago. */
    private final Instant boundary = Instant.now().minus(Duration.ofHours(1));

    private Once daily(Dibs dibs, String name) {
        return dibs.once(name)
                .backoff(Duration.ZERO, Duration.ZERO)
                .daily(LocalTime.ofInstant(boundary, ZoneOffset.UTC), ZoneOffset.UTC);
    }

    /** As if the last success had ended so long after the boundary, and taken that long. */
    private void succeeded(String name, long millisAfter, String duration) throws Exception {
        sql().run("UPDATE dibs_once SET succeeded_at = " + (boundary.toEpochMilli() + millisAfter) + ", duration_ms = "
                + duration + " WHERE name = '" + name + "'");
    }

    private OnceOutcome ask(String name) {
        try (Dibs dibs = dibs()) {
            return daily(dibs, name).tryRun(lease -> {});
        }
    }

    @Test
    void workThatBeganBeforeTheBoundaryIsNotOfThisPeriod() throws Exception {
        String name = fresh("straddling");
        assertThat(ask(name)).isEqualTo(OnceOutcome.RAN);
        assertThat(ask(name)).isEqualTo(OnceOutcome.NOT_DUE);
        for (String duration : new String[] {"0", "NULL", "900"}) {
            succeeded(name, 1000, duration);
            assertThat(ask(name)).as(duration).isEqualTo(OnceOutcome.NOT_DUE);
        }
        succeeded(name, 1000, "2000");
        assertThat(ask(name)).isEqualTo(OnceOutcome.RAN);
        assertThat(ask(name)).isEqualTo(OnceOutcome.NOT_DUE);
    }

    /** Its duration is not that of the last success. */
    @Test
    void aFailureInBetweenChangesNothing() throws Exception {
        String name = fresh("failed");
        assertThat(ask(name)).isEqualTo(OnceOutcome.RAN);
        succeeded(name, 1000, "2000");
        try (Dibs dibs = dibs()) {
            assertThatThrownBy(() -> daily(dibs, name).tryRun(lease -> {
                        throw new IllegalStateException("bad");
                    }))
                    .hasMessage("bad");
        }
        assertThat(ask(name)).isEqualTo(OnceOutcome.RAN);
    }

    /** The end counts, as its description says. */
    @Test
    void aPeriodBeginsWithTheEndOfTheWork() throws Exception {
        String name = fresh("every");
        try (Dibs dibs = dibs()) {
            assertThat(dibs.once(name).every(Duration.ofMinutes(70)).tryRun(lease -> {}))
                    .isEqualTo(OnceOutcome.RAN);
        }
        succeeded(name, 0, "3600000");
        try (Dibs dibs = dibs()) {
            assertThat(dibs.once(name).every(Duration.ofMinutes(70)).tryRun(lease -> {}))
                    .isEqualTo(OnceOutcome.NOT_DUE);
        }
    }
}
