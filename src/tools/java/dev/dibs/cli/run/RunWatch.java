package dev.dibs.cli.run;

import dev.dibs.cli.terminal.LiveOutput;
import dev.dibs.runs.RunState;
import dev.dibs.runs.RunStatus;
import dev.dibs.text.JsonText;
import dev.dibs.text.OneLine;
import dev.dibs.text.RunJson;
import dev.dibs.text.RunNumbers;
import dev.dibs.text.Words;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Shows a run until it has finished or is stopped: in place on a terminal, else one line for each change. */
final class RunWatch {

    private static final long EVERY = Duration.ofSeconds(1).toNanos();

    /** So that the block fits on most terminals. */
    private static final int WORKERS = 12;

    private final PrintWriter out;
    private final boolean json;
    private final boolean inPlace;
    private final LiveOutput block;
    private @Nullable String before;

    RunWatch(PrintWriter out, boolean json, boolean terminal) {
        this.out = out;
        this.json = json;
        this.inPlace = terminal && !json;
        this.block = new LiveOutput(out);
    }

    void follow(Supplier<RunStatus> question) {
        while (true) {
            RunStatus run = question.get();
            show(run);
            boolean goesOn = run.state() == RunState.RUNNING || run.state() == RunState.PAUSED;
            if (!goesOn || Thread.currentThread().isInterrupted()) {
                return;
            }
            LockSupport.parkNanos(EVERY);
        }
    }

    void show(RunStatus run) {
        if (inPlace) {
            block.draw(RunText.status(run, WORKERS));
            return;
        }
        String now = RunNumbers.moved(run);
        if (!now.equals(before)) {
            before = now;
            out.println(json ? JsonText.oneLine(RunJson.status(run)) : line(run));
        }
    }

    private static String line(RunStatus run) {
        return Words.time(run.at()) + " "
                + OneLine.message(RunNumbers.line(run)
                        + (run.state() == RunState.PAUSED || run.state() == RunState.STOPPED
                                ? "; " + run.changedBy() + ": " + run.reason()
                                : ""));
    }
}
