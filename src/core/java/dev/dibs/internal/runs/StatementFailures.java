package dev.dibs.internal.runs;

import dev.dibs.DatabaseFailureException;
import dev.dibs.internal.retry.Backoff;
import dev.dibs.internal.retry.RetryPolicy;
import dev.dibs.internal.sql.errors.SqlFailure;
import dev.dibs.internal.sql.errors.SqlFailure.Outcome;
import dev.dibs.internal.values.Strings;
import java.lang.System.Logger.Level;
import java.util.concurrent.TimeUnit;

/**
 * Failures in a row of one worker's statements: how long it pauses, when it must end, and who is told. The log is told at once, and then
 * every minute. So are the errors of the run if the database refuses something for now.
 *
 * <p>For one worker's thread.
 */
final class StatementFailures {

    private static final System.Logger LOG = System.getLogger("dev.dibs");
    private static final long TELL_EVERY = TimeUnit.MINUTES.toNanos(1);
    /** The third collision in a row is worth a warning: others are over by themselves. */
    private static final int WORTH_A_WARNING = 3;

    private final RunOptions<?> options;
    private final String label;
    private Backoff backoff = new Backoff(RetryPolicy.RUN_OUTAGE);
    private int tries;
    private int refusals;
    private long toldAt;

    StatementFailures(RunOptions<?> options, String label) {
        this.options = options;
        this.label = label;
        this.toldAt = options.context.clock().nanos() - TELL_EVERY;
    }

    /** A step has succeeded. */
    void over() {
        backoff = new Backoff(RetryPolicy.RUN_OUTAGE);
        tries = 0;
        refusals = 0;
    }

    /** Counts a failure. Returns whether the database keeps refusing what does not pass by itself. */
    boolean isHopeless(SqlFailure e) {
        tries++;
        refusals = e.isMistake() || e.getCause() instanceof DatabaseFailureException ? refusals + 1 : 0;
        return refusals >= RetryPolicy.RUN_REFUSALS;
    }

    /** Says why the worker tries again, if it is time to; returns the pause before that. */
    long pauseNanos(SqlFailure e) {
        boolean collides = e.toRetry() == Outcome.ROLLED_BACK;
        boolean passes = e.toRetry() == Outcome.REFUSED && refusals == 0;
        int first = collides ? WORTH_A_WARNING : 1;
        long now = options.context.clock().nanos();
        boolean isDue = tries >= first && now - toldAt >= TELL_EVERY;
        String what =
                collides ? "rolled back" : passes ? "refuses for now" : refusals > 0 ? "refuses" : "did not answer";
        LOG.log(
                isDue || tries == first ? Level.WARNING : Level.DEBUG,
                "The database " + what + " a statement of the run '" + Strings.escape(options.name)
                        + "', which tries again: " + e.getMessage());
        toldAt = isDue ? now : toldAt;
        if (isDue && passes) {
            record(e);
        }
        return backoff.nextNanos();
    }

    private void record(SqlFailure refused) {
        try {
            options.table.record(label, options.context.errors().explain(refused));
        } catch (SqlFailure e) {
            options.context.errors().log("A refusal could not be recorded", e);
        }
    }
}
