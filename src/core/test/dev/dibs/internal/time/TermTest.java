package dev.dibs.internal.time;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("unit")
class TermTest {

    private final ManualClock clock = new ManualClock();

    @Test
    void endsBeforeTheDatabaseExpiresItAlsoWhereNanoTimeOverflows() {
        Term term = Term.from(clock, 10_000);
        clock.run(9_899);
        assertThat(term.isOver()).isFalse();
        clock.run(1);
        assertThat(term.isOver()).as("1 % of 10 s before").isTrue();
    }

    @Test
    void theMarginIsAtLeastTwentyMilliseconds() {
        Term term = Term.from(clock, 100);
        clock.run(79);
        assertThat(term.isOver()).isFalse();
        clock.run(1);
        assertThat(term.isOver()).isTrue();
    }

    @Test
    void isNearlyOverInItsLastThird() {
        Term term = Term.from(clock, 9_000);
        clock.run(5_998);
        assertThat(term.isNearlyOver()).isFalse();
        clock.run(2);
        assertThat(term.isNearlyOver()).isTrue();
    }

    @Test
    void isInDoubtOnceTheWallClockRanAheadByMoreThanTheMargin() {
        Term term = Term.from(clock, 10_000);
        clock.suspend(100);
        assertThat(term.isInDoubt()).isFalse();
        clock.suspend(1);
        assertThat(term.isInDoubt()).isTrue();
        assertThat(Term.from(clock, 10_000).isInDoubt())
                .as("a later one starts anew")
                .isFalse();
    }

    @Test
    void aWallClockThatIsSetBackRaisesNoDoubt() {
        Term term = Term.from(clock, 10_000);
        clock.suspend(-3_600_000);
        assertThat(term.isInDoubt()).isFalse();
    }
}
