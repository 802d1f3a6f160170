package dev.dibs.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.dibs.console.RunHistory.Sample;
import dev.dibs.runs.RunState;
import dev.dibs.runs.RunStatus;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The console's samples of runs. */
@Tag("unit")
class RunHistoryTest {

    private static final Instant START = Instant.parse("2026-11-22T03:00:00Z");

    private final RunHistory history = new RunHistory();

    private static RunStatus run(String name, Instant startedAt, long second, long done, boolean ended) {
        Instant at = START.plusSeconds(second);
        return new RunStatus(
                name,
                RunState.RUNNING,
                "somebody",
                startedAt,
                "",
                10,
                0,
                0,
                0,
                OptionalLong.empty(),
                done,
                0,
                0,
                0,
                0,
                0,
                startedAt,
                ended ? Optional.of(at) : Optional.empty(),
                at,
                List.of());
    }

    private void look(long second, long done) {
        history.add(List.of(run("mails", START, second, done, false)));
    }

    @Test
    void eachLookIsASample() {
        look(1, 10);
        look(3, 30);
        look(3, 31);
        assertThat(history.of("mails"))
                .as("the same moment counts once")
                .containsExactly(new Sample(START.plusSeconds(1), 10, 0), new Sample(START.plusSeconds(3), 30, 0));
        assertThat(history.of("letters")).isEmpty();
    }

    @Test
    void aNewStartForgetsTheFormerPass() {
        look(1, 10);
        history.add(List.of(run("mails", START.plusSeconds(60), 61, 2, false)));
        assertThat(history.of("mails")).extracting(Sample::done).containsExactly(2L);
    }

    @Test
    void anEndedRunAddsNoSamples() {
        look(1, 10);
        for (int second = 3; second < 9; second++) {
            history.add(List.of(run("mails", START, second, 20, true)));
        }
        assertThat(history.of("mails")).extracting(Sample::done).containsExactly(10L, 20L);
    }

    /** However long a console stays open, its memory has a limit, and still covers all the time. */
    @Test
    void samplesAreThinnedOut() {
        for (int i = 0; i < 10 * RunHistory.SAMPLES; i++) {
            look(2L * i, i);
        }
        List<Sample> samples = history.of("mails");
        assertThat(samples).hasSizeBetween(RunHistory.SAMPLES / 2, RunHistory.SAMPLES);
        assertThat(samples.get(0)).isEqualTo(new Sample(START, 0, 0));
        assertThat(samples.get(samples.size() - 1).done()).isEqualTo(10 * RunHistory.SAMPLES - 1);
        assertThat(samples).isSortedAccordingTo(java.util.Comparator.comparing(Sample::at));
    }

    @Test
    void runsThatAreGoneMakeRoom() {
        List<RunStatus> many = new ArrayList<>();
        for (int i = 0; i <= RunHistory.RUNS; i++) {
            many.add(run("run " + i, START, 1, 1, false));
        }
        assertThat(history.add(many)).isSameAs(many);
        assertThat(history.of("run 0")).hasSize(1);
        assertThat(history.of("run " + RunHistory.RUNS)).as("one too many").isEmpty();
        history.add(List.of(many.get(RunHistory.RUNS)));
        assertThat(history.of("run 0")).isEmpty();
        assertThat(history.of("run " + RunHistory.RUNS)).hasSize(1);
    }
}
