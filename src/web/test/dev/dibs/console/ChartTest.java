package dev.dibs.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.dibs.console.RunHistory.Sample;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The drawing of a run over time. */
@Tag("unit")
class ChartTest {

    private static final Instant START = Instant.parse("2026-11-22T03:00:00Z");

    private static Sample sample(long second, long done, long failed) {
        return new Sample(START.plusSeconds(second), done, failed);
    }

    @Test
    void theLineGoesThroughTheRatesFromEdgeToEdge() {
        Chart rate = Chart.of(List.of(sample(0, 0, 0), sample(10, 500, 0), sample(20, 600, 0)))
                .get(0);
        assertThat(rate.title()).isEqualTo("Rows per second");
        assertThat(rate.top()).isEqualTo("50");
        assertThat(rate.latest()).isEqualTo("10");
        assertThat(rate.from()).isEqualTo("03:00:00");
        assertThat(rate.to()).isEqualTo("03:00:20");
        assertThat(rate.line().orElseThrow().path()).isEqualTo("M0 0 L150 0 L450 80 L600 80");
        assertThat(rate.line().orElseThrow().area()).isEqualTo("M0 0 L150 0 L450 80 L600 80 L600 100 L0 100 Z");
        assertThat(rate.words()).isEqualTo("Rows per second from 03:00:00 to 03:00:20 UTC: 10 at the end, 50 at most");
    }

    @Test
    void aBarIsAsHighAsTheFailuresOfItsTime() {
        Chart failures = Chart.of(List.of(sample(0, 0, 3), sample(10, 0, 4), sample(20, 0, 4)))
                .get(1);
        assertThat(failures.title()).isEqualTo("Failed attempts per minute");
        assertThat(failures.top()).isEqualTo("10");
        assertThat(failures.latest()).isEqualTo("0");
        assertThat(failures.line()).isEmpty();
        assertThat(failures.bars())
                .as("none for the time without failures")
                .containsExactly(new Chart.Bar("30", "40", "240", "60", "03:00:00: 6"));
    }

    /** Nobody looked for a minute: the average is known, and not more. */
    @Test
    void aGapHasItsAverage() {
        Chart rate = Chart.of(List.of(sample(0, 0, 0), sample(60, 600, 0), sample(90, 600, 0)))
                .get(0);
        assertThat(rate.line().orElseThrow().path()).isEqualTo("M0 0 L150 0 L450 66.7 L600 66.7");
    }

    @Test
    void thereIsNoChartOfAMoment() {
        assertThat(Chart.of(List.of())).isEmpty();
        assertThat(Chart.of(List.of(sample(0, 5, 0)))).isEmpty();
        assertThat(Chart.of(List.of(sample(0, 5, 0), sample(3, 50, 0)))).isEmpty();
        assertThat(Chart.spark(List.of(sample(0, 5, 0)))).isEmpty();
        assertThat(Chart.spark(List.of(sample(0, 0, 0), sample(10, 10, 0))))
                .isEqualTo(Optional.of("M0 0 L300 0 L600 0"));
    }

    @Test
    void aRunThatStandsStillHasALineAtZero() {
        Chart rate = Chart.of(List.of(sample(0, 7, 0), sample(10, 7, 0))).get(0);
        assertThat(rate.line().orElseThrow().path()).isEqualTo("M0 100 L300 100 L600 100");
        assertThat(rate.latest()).isEqualTo("0");
    }

    @Test
    void manySamplesBecomeSixtyPieces() {
        List<Sample> samples = new ArrayList<>();
        for (int i = 0; i <= 240; i++) {
            samples.add(sample(i * 1000L, i * 1234L, i));
        }
        List<Chart> charts = Chart.of(samples);
        assertThat(charts.get(0).line().orElseThrow().path().split(" L")).hasSize(62);
        assertThat(charts.get(0).line().orElseThrow().path()).matches("M[-0-9. L]+");
        assertThat(charts.get(1).bars()).hasSize(60);
        assertThat(charts.get(0).from()).as("more than a day").isEqualTo("Nov 22, 03:00");
    }
}
