package dev.dibs.text;

import dev.dibs.runs.RunStatus;
import java.time.Duration;
import java.util.Locale;

/** The figures of a run in few words. */
public final class RunNumbers {

    private static final int BAR = 30;
    private static final long HUNDRED = 100;
    private static final String UNKNOWN = "?";

    private RunNumbers() {}

    /** The word for the state of a run. */
    public static String state(RunStatus run) {
        return run.state().name().toLowerCase(Locale.ROOT);
    }

    public static String done(RunStatus run) {
        if (run.total().isEmpty()) {
            return rows(run.done()) + " done";
        }
        long total = run.total().getAsLong();
        return run.done() <= total
                ? run.done() + " of " + rows(total)
                : rows(run.done()) + " done, of which " + total + " were there at the start";
    }

    public static String rows(long n) {
        return n == 1 ? "1 row" : n + " rows";
    }

    /** Rounded down: 100 only when all rows are done. */
    public static String percent(RunStatus run) {
        return run.total().isEmpty() ? UNKNOWN : share(run, HUNDRED) + " %";
    }

    public static String bar(RunStatus run) {
        int full = run.total().isEmpty() ? 0 : (int) share(run, BAR);
        return "[" + "#".repeat(full) + "-".repeat(BAR - full) + "]";
    }

    private static long share(RunStatus run, long whole) {
        long total = run.total().orElse(0);
        return run.done() >= total ? whole : (long) ((double) run.done() / total * whole);
    }

    public static String rate(double rowsPerSecond) {
        return String.format(Locale.ROOT, rowsPerSecond < HUNDRED ? "%.1f/s" : "%.0f/s", rowsPerSecond);
    }

    public static String eta(RunStatus run) {
        return run.finishedAt().isPresent()
                ? ""
                : run.eta().map(RunNumbers::duration).orElse(UNKNOWN);
    }

    /** A duration in its two largest units. */
    public static String duration(Duration duration) {
        long seconds = duration.toSeconds();
        if (seconds < 60) {
            return seconds + "s";
        }
        if (seconds < 3600) {
            return seconds / 60 + "m" + seconds % 60 + "s";
        }
        return seconds < 86_400
                ? seconds / 3600 + "h" + seconds / 60 % 60 + "m"
                : seconds / 86_400 + "d" + seconds / 3600 % 24 + "h";
    }

    public static String failures(RunStatus run) {
        return run.failed() + (run.failed() == 1 ? " attempt, " : " attempts, ") + rows(run.retrying())
                + " to be tried again, " + run.dead() + " dead"
                + (run.deadBefore() == 0 ? "" : " (" + run.deadBefore() + " from before)");
    }

    /** The values that change when the run moves; equal texts mean no change. */
    public static String moved(RunStatus run) {
        return state(run) + " " + run.reason() + " " + done(run) + " " + failures(run);
    }

    /** All figures in one line. */
    public static String line(RunStatus run) {
        String eta = eta(run);
        return state(run) + ", " + done(run) + (run.total().isEmpty() ? "" : " (" + percent(run) + ")") + ", "
                + rate(run.rowsPerSecond()) + (eta.isEmpty() || eta.equals(UNKNOWN) ? "" : ", about " + eta + " left")
                + ", failed: " + failures(run);
    }
}
