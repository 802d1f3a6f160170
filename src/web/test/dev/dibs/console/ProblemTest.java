package dev.dibs.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.dibs.Finding;
import dev.dibs.LeaseInfo;
import dev.dibs.console.Problem.Level;
import dev.dibs.once.OnceInfo;
import dev.dibs.runs.RunState;
import dev.dibs.runs.RunStatus;
import dev.dibs.runs.RunWorkerInfo;
import dev.dibs.text.Masked;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What counts as stuck. */
@Tag("unit")
class ProblemTest {

    private static final Instant NOW = Instant.parse("2026-11-22T03:00:00Z");
    private static final Instant LONG_AGO = NOW.minus(Duration.ofHours(2));

    private static RunStatus run(
            RunState state, double rate, boolean alive, long dead, Instant started, Optional<Instant> finished) {
        RunWorkerInfo worker = new RunWorkerInfo(
                "w",
                started,
                NOW,
                alive,
                10,
                0,
                rate,
                Optional.empty(),
                alive ? Optional.empty() : Optional.of("no right"));
        return new RunStatus(
                "job",
                state,
                "somebody",
                LONG_AGO,
                "why",
                10,
                0,
                0,
                0,
                OptionalLong.of(100),
                10,
                0,
                0,
                dead,
                0,
                rate,
                started,
                finished,
                NOW,
                List.of(worker));
    }

    private static OnceInfo once(Optional<Instant> running, Optional<Instant> retry, Optional<Duration> last) {
        return new Masked.Once(
                "report",
                running.map(since -> new LeaseInfo(LeaseInfo.Kind.ONCE, "report", "node", 1, since, NOW)),
                "node",
                Optional.empty(),
                retry.map(time -> LONG_AGO),
                "it broke",
                3,
                retry,
                last);
    }

    private static List<Problem> of(RunStatus run) {
        return Problem.of(List.of(run), List.of(), List.of(), NOW);
    }

    private static List<Problem> of(OnceInfo once) {
        return Problem.of(List.of(), List.of(once), List.of(), NOW);
    }

    @Test
    void aMovingOrFinishedRunIsNoProblem() {
        assertThat(of(run(RunState.RUNNING, 5, true, 0, LONG_AGO, Optional.empty())))
                .isEmpty();
        assertThat(of(run(RunState.RUNNING, 0, false, 0, LONG_AGO, Optional.of(NOW))))
                .isEmpty();
        assertThat(of(run(RunState.STOPPED, 0, false, 0, LONG_AGO, Optional.of(NOW))))
                .isEmpty();
        assertThat(of(run(RunState.RUNNING, 0, true, 0, NOW.minusSeconds(20), Optional.empty())))
                .as("it has just begun")
                .isEmpty();
    }

    @Test
    void aStalledRunIsAProblemWithItsButton() {
        assertThat(of(run(RunState.PAUSED, 0, true, 0, LONG_AGO, Optional.empty())))
                .singleElement()
                .satisfies(problem -> {
                    assertThat(problem.level()).isEqualTo(Level.WARNING);
                    assertThat(problem.message()).isEqualTo("paused by somebody: why");
                    assertThat(problem.since()).contains(LONG_AGO);
                    assertThat(problem.press()).startsWith("Resume");
                    assertThat(problem.mend()).isEqualTo(Problem.Mend.RESUME);
                });
        assertThat(of(run(RunState.STOPPED, 0, false, 0, LONG_AGO, Optional.empty())))
                .singleElement()
                .matches(problem ->
                        problem.level() == Level.ERROR && problem.message().startsWith("stopped"));
        assertThat(of(run(RunState.RUNNING, 0, false, 0, LONG_AGO, Optional.empty())))
                .singleElement()
                .matches(problem -> problem.message()
                        .equals("not finished, and no worker is alive; the last error that ended one: no right"));
        assertThat(of(run(RunState.RUNNING, 0, true, 0, LONG_AGO, Optional.empty())))
                .singleElement()
                .matches(problem -> problem.message().contains("does not move"))
                .matches(problem -> problem.mend() == Problem.Mend.NONE);
        assertThat(of(run(RunState.RUNNING, 0, false, 4, LONG_AGO, Optional.of(NOW))))
                .singleElement()
                .matches(problem -> problem.message().equals("4 rows are dead"))
                .matches(problem -> problem.mend() == Problem.Mend.RETRY);
    }

    @Test
    void aFailedOrLongOnceTaskIsAProblem() {
        assertThat(of(once(Optional.empty(), Optional.empty(), Optional.empty())))
                .isEmpty();
        assertThat(of(once(Optional.empty(), Optional.of(NOW), Optional.empty())))
                .singleElement()
                .matches(problem -> problem.message().equals("failed 3 times in a row: it broke"))
                .matches(problem -> problem.mend() == Problem.Mend.AGAIN);
        Optional<Duration> tenMinutes = Optional.of(Duration.ofMinutes(10));
        assertThat(of(once(Optional.of(NOW.minus(Duration.ofMinutes(20))), Optional.empty(), tenMinutes)))
                .isEmpty();
        assertThat(of(once(Optional.of(NOW.minus(Duration.ofMinutes(40))), Optional.empty(), tenMinutes)))
                .singleElement()
                .matches(problem -> problem.message().contains("longer than it used to"));
        Optional<Duration> aMoment = Optional.of(Duration.ofMillis(10));
        assertThat(of(once(Optional.of(NOW.minusSeconds(30)), Optional.empty(), aMoment)))
                .as("not much longer")
                .isEmpty();
    }

    @Test
    void theLongestHeldLeasesComeFirst() {
        List<LeaseInfo> holders = new ArrayList<>();
        for (int minutes = 1; minutes <= 30; minutes++) {
            holders.add(new LeaseInfo(
                    LeaseInfo.Kind.LOCK,
                    "l" + minutes,
                    "node",
                    1,
                    NOW.minus(Duration.ofMinutes(minutes)),
                    NOW.plusSeconds(30)));
        }
        List<Problem> all = Problem.of(
                List.of(run(RunState.PAUSED, 0, true, 0, LONG_AGO, Optional.empty())),
                List.of(once(Optional.empty(), Optional.of(NOW), Optional.empty())),
                holders,
                NOW);
        assertThat(all).extracting(Problem::name).containsExactly("report", "job", "l30", "l29", "l28", "l27", "l26");
        assertThat(Problem.of(List.of(), List.of(), holders.subList(0, 9), NOW)).isEmpty();
    }

    @Test
    void aWarningOfTheDoctorHasItsTimeAndExpires() {
        Finding warning = new Finding(Finding.Level.WARNING, "clock", "it is slow", "set it");
        Finding fine = new Finding(Finding.Level.OK, "tables", "all there", "");
        var seen = new CachedQuery.Seen<>(List.of(fine, warning), NOW, "");
        assertThat(Problem.of(seen, NOW.plusSeconds(60)))
                .singleElement()
                .matches(problem -> problem.message().equals("it is slow (as of 2026-11-22 03:00:00 UTC)"));
        assertThat(Problem.of(seen, NOW.plusSeconds(600))).isEmpty();
        assertThat(Problem.of(null, NOW)).isEmpty();
    }
}
