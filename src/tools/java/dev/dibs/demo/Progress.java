package dev.dibs.demo;

import dev.dibs.runs.RunState;
import dev.dibs.runs.RunStatus;
import dev.dibs.runs.RunWorkerInfo;
import java.io.PrintStream;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;

/** Shows the progress: a block that is redrawn on a terminal, else a line now and then. */
final class Progress {

    private static final int BAR = 24;
    private static final long PLAIN_MILLIS = 5_000;
    private static final long MILLIS = 1_000;
    private static final long ROUND_UP_MILLIS = 999;
    private static final String CONTROL = "\033[";

    private final PrintStream out;
    private final Terminal terminal;
    private final long start = System.currentTimeMillis();

    private final ReentrantLock printing = new ReentrantLock();
    /** The incidents of the workers. */
    private final Map<Integer, String> struck = new ConcurrentHashMap<>();
    /** The lines of the current block; only under the lock. */
    private int drawn;

    private volatile boolean silent;
    /** When the last plain line was printed; only for the thread that shows. */
    private long printed = start;

    Progress(PrintStream out, Terminal terminal) {
        this.out = out;
        this.terminal = terminal;
    }

    /** A line that stays, with the time since the start. */
    void event(String text) {
        line(String.format(Locale.ROOT, "%6.1f s  %s", seconds(), text));
    }

    /** A line that stays, without the time. */
    void line(String text) {
        print(text + System.lineSeparator(), 0);
    }

    /** The user wants no more output. */
    void silence() {
        silent = true;
    }

    /** From now on the worker is shown as killed or paused, or at work again if the text is empty. */
    void struck(int worker, String how) {
        struck.put(worker, how);
    }

    /** Shows the progress of the run by its own status. */
    void show(RunStatus status, Crew crew) {
        long total = status.total().orElse(0);
        String state = status.done() + " of " + total + " done, "
                + (status.state() == RunState.RUNNING ? pace(status) : status.state() + " by " + status.changedBy())
                + (status.retrying() > 0 ? ", " + status.retrying() + " to be tried again" : "")
                + (status.dead() > 0 ? ", " + status.dead() + " dead" : "");
        if (terminal.live()) {
            draw(bar(status.done() + status.dead(), total) + "  " + state, status, crew);
        } else {
            printNowAndThen(state);
        }
    }

    private static String pace(RunStatus status) {
        String eta = status.eta()
                .map(left -> ", " + (left.toMillis() + ROUND_UP_MILLIS) / MILLIS + " s left")
                .orElse("");
        long alive = status.workers().stream().filter(RunWorkerInfo::alive).count();
        return String.format(Locale.ROOT, "%.0f rows/s%s, workers: %d", status.rowsPerSecond(), eta, alive);
    }

    private void printNowAndThen(String state) {
        long now = System.currentTimeMillis();
        if (now - printed >= PLAIN_MILLIS) {
            printed = now;
            event(state);
        }
    }

    private void draw(String state, RunStatus status, Crew crew) {
        StringBuilder block = new StringBuilder();
        block.append(terminal.cut(String.format(Locale.ROOT, "%6.1f s  %s", seconds(), state)))
                .append('\n');
        for (WorkerProcess worker : crew.workers()) {
            block.append(terminal.cut("          " + worker.name() + "  " + doing(worker, status)))
                    .append('\n');
        }
        print(block.toString(), 1 + crew.workers().size());
    }

    private String doing(WorkerProcess worker, RunStatus status) {
        String done = status.workers().stream()
                .filter(info -> info.worker().equals(worker.name()))
                .map(info -> String.format(Locale.ROOT, "%5d done, %d failed", info.done(), info.failed()))
                .findFirst()
                .orElse("");
        String how = struck.getOrDefault(worker.number(), "");
        if (how.isEmpty() && !worker.isAlive()) {
            how = "has finished";
        }
        return done + (how.isEmpty() ? "" : "  " + how);
    }

    private static String bar(long done, long all) {
        int full = (int) (BAR * done / Math.max(1, all));
        return "[" + "=".repeat(full) + " ".repeat(BAR - full) + "]";
    }

    /** Prints in place of the current block; the last lines of the text are the next block. */
    private void print(String text, int block) {
        printing.lock();
        try {
            if (!silent) {
                out.print((drawn == 0 ? "" : CONTROL + drawn + "A" + CONTROL + "J") + text);
                out.flush();
                drawn = block;
            }
        } finally {
            printing.unlock();
        }
    }

    private double seconds() {
        return (System.currentTimeMillis() - start) / 1_000.0;
    }
}
