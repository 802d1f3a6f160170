package dev.dibs.internal.retry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.dibs.internal.sql.errors.SqlFailure;
import dev.dibs.internal.sql.errors.SqlFailure.Outcome;
import dev.dibs.internal.time.ManualClock;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("unit")
class RetryTest {
    private final SqlFailure lost = new SqlFailure("acquire", Outcome.UNKNOWN, new SQLException("lost"));

    private final AtomicInteger sent = new AtomicInteger();
    private final AtomicInteger abandoned = new AtomicInteger();
    private final ManualClock clock = new ManualClock();

    @AfterEach
    void clearTheInterrupt() {
        boolean unused = Thread.interrupted();
    }

    @Test
    void isSentUntilThereIsAnAnswer() throws Exception {
        assertThat(Retry.<Integer>run(RetryPolicy.LOCKED_ROWS.begin(), this::thirdAnswers))
                .isEqualTo(3);
    }

    private Integer thirdAnswers() {
        int tries = sent.incrementAndGet();
        return tries < 3 ? null : tries;
    }

    @Test
    void isSentNoMoreOftenThanThePolicyAllows() throws Exception {
        assertThat(Retry.run(RetryPolicy.RELEASE.begin(), this::nothing)).isNull();
        assertThat(sent).hasValue(RetryPolicy.RELEASE.tries());
    }

    private Object nothing() {
        sent.incrementAndGet();
        return null;
    }

    @Test
    void anInterruptEndsTheTries() {
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> Retry.run(RetryPolicy.RELEASE.begin(), this::nothing))
                .isInstanceOf(InterruptedException.class);
        assertThat(sent).hasValue(1);
    }

    @Test
    void anInterruptIsKeptWhereTheOutcomeMustBeKnown() throws Exception {
        Thread.currentThread().interrupt();
        assertThat(Retry.<Integer>uninterrupted(RetryPolicy.LOCKED_ROWS, this::thirdAnswers))
                .isEqualTo(3);
        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    void aFoundCallIsNotAbandoned() throws Exception {
        assertThat(Retry.<String>afterLostAnswer(lost, () -> "ours", abandoned::incrementAndGet))
                .isEqualTo("ours");
        assertThat(abandoned).hasValue(0);
    }

    @Test
    void aCallThatIsNotFoundIsAbandonedWithoutAnotherLook() throws Exception {
        assertThat(Retry.afterLostAnswer(lost, this::nothing, abandoned::incrementAndGet))
                .isNull();
        assertThat(sent).hasValue(1);
        assertThat(abandoned).hasValue(1);
    }

    @Test
    void aCallIsAbandonedAfterAnErrorToo() {
        assertThatThrownBy(() -> Retry.afterLostAnswer(
                        lost,
                        () -> {
                            throw new IllegalStateException("the reader of the row failed");
                        },
                        abandoned::incrementAndGet))
                .isInstanceOf(IllegalStateException.class);
        assertThat(abandoned).hasValue(1);
    }

    /** The database has answered, so the statement is not on its way. */
    @Test
    void aPartThatIsNotFoundWasRefused() {
        SqlFailure part = new SqlFailure("acquire", Outcome.REFUSED, new SQLException("a trigger")).partlyCommitted();
        assertThatThrownBy(() -> Retry.afterLostAnswer(part, this::nothing, abandoned::incrementAndGet))
                .isInstanceOfSatisfying(
                        SqlFailure.class, e -> assertThat(e.outcome()).isEqualTo(Outcome.REFUSED));
        assertThat(sent).hasValue(1);
        assertThat(abandoned).as("another part may have left something").hasValue(1);
    }

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
