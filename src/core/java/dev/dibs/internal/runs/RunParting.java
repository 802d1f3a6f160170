package dev.dibs.internal.runs;

import dev.dibs.DibsException;
import dev.dibs.internal.retry.Patience;
import dev.dibs.internal.retry.RetryPolicy;
import dev.dibs.internal.sql.errors.Secrets;
import dev.dibs.internal.sql.errors.SqlFailure;
import dev.dibs.internal.values.Texts;
import java.lang.System.Logger.Level;
import java.util.concurrent.TimeUnit;

/** The last steps of a worker that ends. Together they are tried for a limited time, unless the database refuses them. */
final class RunParting {

    private static final System.Logger LOG = System.getLogger("dev.dibs");
    private static final long PAUSE = TimeUnit.MILLISECONDS.toNanos(50);

    private final RunOptions<?> options;
    private final StopSignal stop;
    private final Patience patience = RetryPolicy.PARTING.begin();

    RunParting(RunOptions<?> options, StopSignal stop) {
        this.options = options;
        this.stop = stop;
    }

    /** One of them. */
    interface Step {
        void run() throws SqlFailure;
    }

    void attempt(Step step) {
        attempt(step, true);
    }

    /** One that the database has probably refused before. */
    void attemptOnce(Step step) {
        attempt(step, false);
    }

    private void attempt(Step step, boolean patient) {
        while (true) {
            try {
                step.run();
                return;
            } catch (SqlFailure | RuntimeException e) {
                boolean refused = e instanceof SqlFailure failed && failed.isMistake();
                if (refused || !patient || patience.isOver()) {
                    LOG.log(
                            Level.WARNING,
                            "A worker of '" + Texts.escape(options.name) + "' could not end in good order: "
                                    + e.getMessage());
                    return;
                }
                stop.nap(PAUSE);
            }
        }
    }

    /** The error that ended the worker, for people. */
    static String reason(Throwable why) {
        return why instanceof DibsException ? why.getMessage() : why.getClass().getName() + ": " + Secrets.masked(why);
    }
}
