package dev.dibs.internal.runs;

import dev.dibs.internal.sql.SqlFailure;

/** The number of failures at which a run stops by itself. */
final class ErrorBudget {

    /** The number of attempts from which on a percentage counts. {@code Run} and {@code RunBuilder} document it. */
    static final int ENOUGH = 50;

    private static final long HUNDRED = 100;

    private ErrorBudget() {}

    /** After a failure: stops the run if there were too many. */
    static void check(RunTable table, String by) throws SqlFailure {
        RunRow run = table.read().orElse(null);
        if (run == null || (run.maxFailures() == 0 && run.maxPercent() == 0)) {
            return;
        }
        RunTable.Sum sum = table.sum();
        long failed = sum.failed() - run.forgiven();
        long attempts = sum.done() - run.doneBefore() + failed;
        if (run.maxFailures() > 0 && failed >= run.maxFailures()) {
            boolean unused = table.stopFailing(by, failed + " attempts have failed, the limit is " + run.maxFailures());
        } else if (run.maxPercent() > 0 && attempts >= ENOUGH && failed * HUNDRED >= attempts * run.maxPercent()) {
            boolean unused = table.stopFailing(
                    by, failed + " of " + attempts + " attempts have failed, the limit is " + run.maxPercent() + " %");
        }
    }
}
