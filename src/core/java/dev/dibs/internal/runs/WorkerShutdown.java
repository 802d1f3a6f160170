package dev.dibs.internal.runs;

import dev.dibs.DibsException;
import dev.dibs.internal.retry.Patience;
import dev.dibs.internal.retry.RetryPolicy;
import dev.dibs.internal.sql.call.Steps;
import dev.dibs.internal.sql.errors.Secrets;
import dev.dibs.internal.sql.errors.SqlFailure;
import dev.dibs.internal.values.Strings;
import java.lang.System.Logger.Level;
import org.jspecify.annotations.Nullable;

/** The last steps of a worker that ends. Together they are tried for a limited time, unless the database refuses them. */
final class WorkerShutdown {

    private static final System.Logger LOG = System.getLogger("dev.dibs");

    private final String run;
    private final Patience patience = RetryPolicy.SHUTDOWN.begin();

    WorkerShutdown(String run) {
        this.run = run;
    }

    /**
     * Tries one of them.
     *
     * @param again false if the database has probably refused it before
     */
    void attempt(boolean again, Steps.Send step) {
        while (true) {
            try {
                step.send();
                return;
            } catch (SqlFailure | RuntimeException e) {
                boolean refused = e instanceof SqlFailure failed && failed.isMistake();
                if (refused || !again || !patience.pausesForAnother()) {
                    LOG.log(
                            Level.WARNING,
                            "A worker of '" + Strings.escape(run) + "' could not end in good order: " + e.getMessage());
                    return;
                }
            }
        }
    }

    /** The error that ended the worker, for people; null if none did. */
    static @Nullable String reason(@Nullable Throwable why) {
        if (why == null) {
            return null;
        }
        return why instanceof DibsException ? why.getMessage() : why.getClass().getName() + ": " + Secrets.masked(why);
    }
}
