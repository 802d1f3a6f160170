package dev.dibs.demo;

import java.io.PrintStream;
import java.sql.SQLException;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;

/** Shows how far it is: a block that is drawn again and again on a terminal, else a line now and then. */
final class Progress {

    private static final int BAR = 24;
    private static final long PLAIN_MILLIS = 5_000;
    private static final String CONTROL = "\033[";

    private final PrintStream out;
    private final Terminal terminal;
    private final long start = System.currentTimeMillis();

    private final ReentrantLock printing = new ReentrantLock();
    /** What was done to a worker. */
    private final Map<Integer, String> struck = new ConcurrentHashMap<>();
    /** Lines of the block that stand there now; only under the lock. */
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

    /** A line that stays, as it is. */
    void line(String text) {
        print(text + System.lineSeparator(), 0);
    }

    /** The user has had enough. */
    void silence() {
        silent = true;
    }

    /** From now on the worker is shown as killed or paused, or at work again if the text is empty. */
    void struck(int worker, String how) {
        struck.put(worker, how);
    }

    /** Shows the state as the database has it. */
    void show(Choice choice, Store store, Crew crew) throws SQLException {
        long all = store.query("sum_planned", row -> row.getLong(1)).get(0);
        long[] sums = store.query("sum_results", row -> new long[] {row.getLong(1), row.getLong(2), row.getLong(3)})
                .get(0);
        String state = sums[0] + " of " + all + " directories, " + sums[1] + " jars, " + Summary.size(sums[2]);
        if (terminal.live()) {
            draw(bar(sums[0], all) + "  " + state, choice, crew);
        } else {
            printNowAndThen(state);
        }
    }

    private void printNowAndThen(String state) {
        long now = System.currentTimeMillis();
        if (now - printed >= PLAIN_MILLIS) {
            printed = now;
            event(state);
        }
    }

    private void draw(String state, Choice choice, Crew crew) {
        StringBuilder block = new StringBuilder();
        block.append(terminal.cut(String.format(Locale.ROOT, "%6.1f s  %s", seconds(), state)))
                .append('\n');
        for (WorkerProcess worker : crew.workers()) {
            block.append(terminal.cut("          " + worker.name() + "  " + doing(worker, choice, crew)))
                    .append('\n');
        }
        print(block.toString(), 1 + crew.workers().size());
    }

    private String doing(WorkerProcess worker, Choice choice, Crew crew) {
        String how = struck.getOrDefault(worker.number(), "");
        if (!how.isEmpty()) {
            return how;
        }
        return crew.place(worker.number()).map(choice::path).orElse(worker.isAlive() ? "" : "has finished");
    }

    private static String bar(long done, long all) {
        int full = (int) (BAR * done / Math.max(1, all));
        return "[" + "=".repeat(full) + " ".repeat(BAR - full) + "]";
    }

    /** Prints in the place of the block that stands there; of what is printed, so many lines are the next block. */
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
