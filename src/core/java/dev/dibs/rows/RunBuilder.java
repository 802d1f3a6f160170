package dev.dibs.rows;

import dev.dibs.core.Arguments;
import dev.dibs.core.Context;
import dev.dibs.core.Names;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * Tells what the workers of a run do. Batch, rate and budget are those that the run is made with; from then on {@link Run} or the
 * command {@code dibs run set} changes them, and what stands here no longer matters: a start
 * that says otherwise logs at INFO which settings hold.
 *
 * <p>For one thread.
 *
 * @param <T> what a row is mapped to
 */
public final class RunBuilder<T> {

    private static final double MILLI = 1000;
    private static final int MOST_THREADS = 1_000;

    final Context context;
    final Set<RunWorkers<?>> open;
    final RunTable table;
    final String name;
    final RowClaims<T> claims;
    private static final int USUAL_BATCH = 10;

    @Nullable
    Integer batch;

    int threads = 1;
    int maxAttempts = 5;
    Duration firstPause = Duration.ofSeconds(1);
    Duration longestPause = Duration.ofMinutes(5);

    @Nullable
    Long rate;

    @Nullable
    Long maxFailures;

    @Nullable
    Integer maxPercent;

    long total = -1;

    @Nullable
    Duration pollEvery;

    @Nullable
    Executor executor;

    String label;

    RunBuilder(Context context, Set<RunWorkers<?>> open, RunTable table, String name, RowClaims<T> claims) {
        this.context = context;
        this.open = open;
        this.table = table;
        this.name = name;
        this.claims = claims;
        this.label = context.holder();
    }

    /**
     * How many rows a worker claims at once. Default 10.
     *
     * @param rows from 1 to {@value RowClaims#LARGEST_CLAIM}
     */
    public RunBuilder<T> batch(int rows) {
        batch = RowClaims.checkCount(rows);
        return this;
    }

    /** How many workers run here, from 1 to 1,000. Default 1. */
    public RunBuilder<T> threads(int threads) {
        if (threads < 1 || threads > MOST_THREADS) {
            throw new IllegalArgumentException(threads + " threads are out of bounds; 1 to " + MOST_THREADS);
        }
        this.threads = threads;
        return this;
    }

    /** Where the workers run: each is one long task. Default: threads of their own, named after the run. */
    public RunBuilder<T> executor(Executor executor) {
        this.executor = Arguments.required("executor", executor);
        return this;
    }

    /** How often a row is tried before it counts as dead, from 1 on. Default 5. */
    public RunBuilder<T> maxAttempts(int attempts) {
        if (attempts < 1) {
            throw new IllegalArgumentException("maxAttempts is " + attempts + "; it must be 1 or more");
        }
        maxAttempts = attempts;
        return this;
    }

    /** How long a row that failed waits for its second attempt, twice as long for each further one, and at most. */
    public RunBuilder<T> backoff(Duration first, Duration longest) {
        if (Arguments.required("first pause", first).isNegative()
                || Arguments.required("longest pause", longest).compareTo(first) < 0) {
            throw new IllegalArgumentException("a back-off from " + first + " to " + longest + " does not grow");
        }
        firstPause = first;
        longestPause = longest;
        return this;
    }

    /** How many rows a second all workers together may do; 0 for no limit, which is the default. */
    public RunBuilder<T> rate(double rowsPerSecond) {
        rate = checkRate(rowsPerSecond);
        return this;
    }

    /** At how many failed attempts the run stops; 0 for no limit, which is the default. */
    public RunBuilder<T> maxFailures(long attempts) {
        maxFailures = checkNotNegative("maxFailures", attempts);
        return this;
    }

    /** At how many failed attempts in a hundred the run stops, once there were {@value ErrorBudget#ENOUGH}; 0 for no limit. */
    public RunBuilder<T> maxFailurePercent(int percent) {
        maxPercent = checkPercent(percent);
        return this;
    }

    /** Does not end when nothing is left, but looks again every so often. Default: it ends. */
    public RunBuilder<T> pollEvery(Duration interval) {
        if (Arguments.required("interval", interval).isNegative() || interval.isZero()) {
            throw new IllegalArgumentException("pollEvery is " + interval + "; it must be positive");
        }
        pollEvery = interval;
        return this;
    }

    /** About how many rows there are, for a table that is too large to be counted at the start. */
    public RunBuilder<T> total(long estimate) {
        total = checkNotNegative("total", estimate);
        return this;
    }

    /** Who the workers are, for people. Default: the holder's label of the {@link dev.dibs.Dibs}. */
    public RunBuilder<T> label(String label) {
        this.label = Names.check("label", label);
        return this;
    }

    /** What is done with each row. A worker that vanishes in between has another one do it again. */
    public RunWorkers<T> work(RunWork<T> work) {
        return new RunWorkers<>(this, new RowProcessor.Plain<>(Arguments.required("work", work)));
    }

    /** What is done with each row, in the transaction that completes it: it takes effect exactly once. */
    public RunWorkers<T> workInTransaction(RunTransactionWork<T> work) {
        Arguments.required("work", work);
        return new RunWorkers<>(this, new RowProcessor.InTransaction<>(work, claims, context.dataSource()));
    }

    /**
     * Goes on only if nothing of these claims is left and no row is dead: the gate for a deployment that needs the run to be through. It
     * looks at the table.
     *
     * @throws dev.dibs.DibsException if it is not, with the numbers
     */
    public void ensureFinished() {
        new Run(context, open, name).ensureFinished(claims::isSomethingLeft);
    }

    RunDefaults defaults() {
        return new RunDefaults(
                batch == null ? USUAL_BATCH : batch,
                rate == null ? 0 : rate,
                maxFailures == null ? 0 : maxFailures,
                maxPercent == null ? 0 : maxPercent);
    }

    /** What this says and the run's row says otherwise, for people; empty if they agree. */
    String overruledBy(RunRow run) {
        List<String> other = new ArrayList<>();
        compare(other, "batch", batch, run.batch());
        compare(other, "rate", rate == null ? null : rate / MILLI, run.rate() / MILLI);
        compare(other, "maxFailures", maxFailures, run.maxFailures());
        compare(other, "maxFailurePercent", maxPercent, run.maxPercent());
        return String.join(", ", other);
    }

    private static void compare(List<String> other, String what, @Nullable Number here, Number there) {
        if (here != null && here.doubleValue() != there.doubleValue()) {
            other.add(what + " is " + there + ", not " + here);
        }
    }

    static long checkRate(double rowsPerSecond) {
        if (!(rowsPerSecond >= 0 && rowsPerSecond <= 1e9)) {
            throw new IllegalArgumentException("a rate of " + rowsPerSecond + " rows a second is out of bounds");
        }
        return rowsPerSecond == 0 ? 0 : Math.max(1, Math.round(rowsPerSecond * MILLI));
    }

    static long checkNotNegative(String what, long value) {
        if (value < 0) {
            throw new IllegalArgumentException(what + " is " + value + "; it must not be negative");
        }
        return value;
    }

    static int checkPercent(int percent) {
        if (percent < 0 || percent > 100) {
            throw new IllegalArgumentException(percent + " % is out of bounds; 0 to 100");
        }
        return percent;
    }
}
