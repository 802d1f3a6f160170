package dev.dibs.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.dibs.runs.RunState;
import dev.dibs.runs.RunStatus;
import dev.dibs.runs.RunWorkerInfo;
import dev.dibs.text.RunNumbers;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("unit")
class RunTextTest {

    private static final Instant START = Instant.parse("2030-01-02T03:04:05Z");

    private static RunStatus run(RunState state, OptionalLong total, long done, long dead, Optional<Instant> finished) {
        return new RunStatus(
                "a\nb\u001b[2J",
                state,
                "ann\u0007",
                START.plusSeconds(1),
                "disk\r\nfull\u009b2J",
                10,
                2.5,
                0,
                5,
                total,
                done,
                3,
                1,
                dead,
                dead / 2,
                4,
                START,
                finished,
                START.plusSeconds(60),
                List.of(
                        worker("web1:1/1", true, "7\n"),
                        worker("web1:1/2\u001b", true, "8"),
                        new RunWorkerInfo(
                                "gone", START, START, false, 1, 0, 0, Optional.empty(), Optional.of("no\nright"))));
    }

    private static RunWorkerInfo worker(String label, boolean alive, String currentRow) {
        return new RunWorkerInfo(
                label, START, START.plusSeconds(58), alive, 12, 0, 2, Optional.of(currentRow), Optional.empty());
    }

    @Test
    void showsTheStatusWithoutControlCharacters() {
        assertThat(RunText.status(run(RunState.PAUSED, OptionalLong.of(1000), 470, 2, Optional.empty()), 99))
                .containsExactly("""
                        run       a b\\u001b[2J
                        state     paused, since 2030-01-02T03:04:06Z by ann\\u0007: disk full\\u009b2J
                        progress  [##############----------------]  47 %  470 of 1000 rows
                        rate      4.0/s, left: about 2m12s
                        failed    3 attempts, 1 row to be tried again, 2 dead (1 from before)
                        settings  batch 10, at most 2.5 rows/s, stops at 5 % failed attempts
                        started   2030-01-02T03:04:05Z
                        ended     gone: no right
                        WORKER          DONE  FAILED  RATE   SEEN    IN HAND
                        web1:1/1        12    0       2.0/s  2s ago  7\\u000a
                        web1:1/2\\u001b  12    0       2.0/s  2s ago  8
                        workers   2 alive, 1 gone""".split("\n"));
    }

    @Test
    void showsNoMoreWorkersThanWanted() {
        assertThat(RunText.status(run(RunState.RUNNING, OptionalLong.empty(), 5, 0, Optional.empty()), 1))
                .contains(
                        "progress  [------------------------------]  ?  5 rows done",
                        "rate      4.0/s, left: not known")
                .endsWith("web1:1/1  12    0       2.0/s  2s ago  7\\u000a", "workers   1 more, 2 alive, 1 gone");
    }

    @Test
    void isAHundredPercentOnlyAtTheEnd() {
        assertThat(RunNumbers.percent(run(RunState.RUNNING, OptionalLong.of(1000), 999, 0, Optional.empty())))
                .isEqualTo("99 %");
        assertThat(RunNumbers.bar(run(RunState.RUNNING, OptionalLong.of(1000), 999, 0, Optional.empty())))
                .endsWith("#-]");
        RunStatus empty = run(RunState.RUNNING, OptionalLong.of(0), 0, 0, Optional.of(START));
        assertThat(RunNumbers.percent(empty)).isEqualTo("100 %");
        RunStatus more = run(RunState.RUNNING, OptionalLong.of(10), 12, 0, Optional.empty());
        assertThat(RunNumbers.done(more)).isEqualTo("12 rows done, of which 10 were there at the start");
        assertThat(RunNumbers.bar(more)).isEqualTo("[" + "#".repeat(30) + "]");
    }

    @Test
    void writesDurationsInTwoUnits() {
        assertThat(List.of(59L, 60L, 3599L, 3600L, 86_399L, 90_000L))
                .extracting(seconds -> RunNumbers.duration(Duration.ofSeconds(seconds)))
                .containsExactly("59s", "1m0s", "59m59s", "1h0m", "23h59m", "1d1h");
    }

    @Test
    void drawsInPlaceOnATerminal() {
        StringWriter out = new StringWriter();
        RunWatch watch = new RunWatch(new PrintWriter(out), false, true);
        RunStatus run = run(RunState.RUNNING, OptionalLong.of(10), 5, 0, Optional.empty());
        watch.show(run);
        assertThat(out.toString()).startsWith("\u001b[?7lrun ").endsWith("\u001b[?7h");
        int lines = (int) out.toString().lines().count() - 1;
        out.getBuffer().setLength(0);
        watch.show(run);
        assertThat(out.toString()).startsWith("\u001b[" + lines + "A\u001b[J\u001b[?7lrun ");
    }

    @Test
    void writesALineForEachChangeElsewhere() {
        StringWriter out = new StringWriter();
        RunWatch watch = new RunWatch(new PrintWriter(out), false, false);
        watch.show(run(RunState.RUNNING, OptionalLong.of(10), 5, 0, Optional.empty()));
        watch.show(run(RunState.RUNNING, OptionalLong.of(10), 5, 0, Optional.empty()));
        watch.show(run(RunState.STOPPED, OptionalLong.of(10), 6, 0, Optional.empty()));
        assertThat(out.toString().lines())
                .containsExactly(
                        "2030-01-02T03:05:05Z running, 5 of 10 rows (50 %), 4.0/s, about 1s left, failed: 3 attempts, 1 row to be"
                                + " tried again, 0 dead",
                        "2030-01-02T03:05:05Z stopped, 6 of 10 rows (60 %), 4.0/s, about 1s left, failed: 3 attempts, 1 row to be"
                                + " tried again, 0 dead; ann\\u0007: disk full\\u009b2J");
    }
}
