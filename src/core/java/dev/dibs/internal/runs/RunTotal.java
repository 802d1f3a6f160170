package dev.dibs.internal.runs;

import dev.dibs.internal.sql.call.Call;
import dev.dibs.internal.sql.call.CallLimit;
import dev.dibs.internal.sql.errors.SqlFailure;
import dev.dibs.internal.time.Deadline;
import dev.dibs.internal.values.Strings;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Counts the rows of a run, in the background if that takes long: a run need not wait for its total, nor fail without it. The count ends
 * with the workers. It holds a connection, and gives way if no worker gets one.
 */
final class RunTotal {

    private static final System.Logger LOG = System.getLogger("dev.dibs");

    /** A start waits so long for the total. */
    private static final Duration USUAL = Duration.ofSeconds(1);

    private static final Duration LONGEST = Duration.ofMinutes(2);

    /** The answer may come so long after the limit. */
    private static final Duration GRACE = Duration.ofSeconds(30);

    /** A cancelled count ends soon, unless the database is away. */
    private static final Duration LAST = Duration.ofSeconds(5);

    private final CallLimit limit = new CallLimit(LONGEST);
    private final RunOptions<?> options;
    private volatile @Nullable Thread counting;

    RunTotal(RunOptions<?> options) {
        this.options = options;
    }

    /**
     * Begins to count. The statement begins before the workers do, so it sees all rows.
     *
     * @param deadToRetry dead rows that will be tried again
     */
    void begin(long deadToRetry) {
        Thread thread = new Thread(() -> count(deadToRetry), "dibs-run-" + options.name + "-count");
        thread.setDaemon(true);
        counting = thread;
        thread.start();
        Deadline.in(USUAL).join(thread);
    }

    private void count(long deadToRetry) {
        try {
            // The database itself ends the statement at the limit.
            Call<Long> count = options.claims.store().count().within(limit);
            options.context.database().transact(List.of(count), limit.time().plus(GRACE));
            long rows = count.rows().get(0);
            options.table.set("set_run_total", rows + deadToRetry);
        } catch (SqlFailure | RuntimeException e) {
            LOG.log(
                    Level.INFO,
                    "The rows of the run '" + Strings.escape(options.name)
                            + "' could not be counted, so it shows no percentage; an estimate can be given by"
                            + " total(..): " + e.getMessage());
        }
    }

    /** Ends the count, without a wait: a cancel may need a connection of the driver's own. */
    void cancel() {
        Thread thread = counting;
        if (thread != null && thread.isAlive()) {
            Thread cancelling = new Thread(limit::cancel, "dibs-run-cancel");
            cancelling.setDaemon(true);
            cancelling.start();
        }
    }

    /** Ends the count, and waits for its end. */
    void end() {
        Thread thread = counting;
        if (thread != null) {
            cancel();
            Deadline.in(LAST).join(thread);
        }
    }
}
