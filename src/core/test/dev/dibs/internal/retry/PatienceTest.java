package dev.dibs.internal.retry;

import static org.assertj.core.api.Assertions.assertThat;

import dev.dibs.internal.time.ManualClock;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("unit")
class PatienceTest {

    private final ManualClock clock = new ManualClock();

    @Test
    void oneStatementThatTakesLongerThanTheGraceIsNotTheOnlyTry() {
        Patience patience = new Patience(clock, RetryPolicy.acquire(Duration.ZERO, Duration.ofSeconds(2)));
        clock.run(5_000);
        assertThat(patience.allowsCollision()).isTrue();
        assertThat(patience.allowsCollision()).isTrue();
        assertThat(patience.allowsCollision()).isFalse();
    }

    @Test
    void withinTheGraceItIsTriedAsOftenAsItTakes() {
        Patience patience = new Patience(clock, RetryPolicy.acquire(Duration.ZERO, Duration.ofSeconds(2)));
        for (int tries = 0; tries < 100; tries++) {
            clock.run(6);
            assertThat(patience.allowsCollision()).isTrue();
        }
        clock.run(100);
        assertThat(patience.allowsCollision()).isFalse();
    }

    @Test
    void aLongerWaitIsGranted() {
        Patience patience = new Patience(clock, RetryPolicy.acquire(Duration.ofMinutes(1), Duration.ofSeconds(2)));
        for (int tries = 0; tries < 50; tries++) {
            clock.run(1_000);
            assertThat(patience.allowsCollision()).isTrue();
        }
    }
}
