package dev.dibs.internal.runs;

import dev.dibs.internal.claims.DatabaseClaims;
import dev.dibs.internal.instance.Context;
import dev.dibs.internal.values.Arguments;
import dev.dibs.internal.values.Names;
import dev.dibs.runs.RunBuilder;
import dev.dibs.runs.RunTransactionWork;
import dev.dibs.runs.RunWork;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** The values of a builder of workers of a run. */
final class RunSpec<T> implements RunBuilder<T> {

    private static final double MILLI = 1000;
    private static final int MOST_THREADS = 1_000;

    final Context context;
    final Set<LocalWorkers<?>> open;
    final RunTable table;
    final String name;
    final DatabaseClaims<T> claims;
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

    RunSpec(Context context, Set<LocalWorkers<?>> open, RunTable table, String name, DatabaseClaims<T> claims) {
        this.context = context;
        this.open = open;
        this.table = table;
        this.name = name;
        this.claims = claims;
        this.label = context.holder();
    }

    @Override
    public RunSpec<T> batch(int rows) {
        batch = DatabaseClaims.checkCount(rows);
        return this;
    }

    @Override
    public RunSpec<T> threads(int threads) {
        if (threads < 1 || threads > MOST_THREADS) {
            throw new IllegalArgumentException(threads + " threads are out of bounds; 1 to " + MOST_THREADS);
        }
        this.threads = threads;
        return this;
    }

    @Override
    public RunSpec<T> executor(Executor executor) {
        this.executor = Arguments.required("executor", executor);
        return this;
    }

    @Override
    public RunSpec<T> maxAttempts(int attempts) {
        if (attempts < 1) {
            throw new IllegalArgumentException("maxAttempts is " + attempts + "; it must be 1 or more");
        }
        maxAttempts = attempts;
        return this;
    }

    @Override
    public RunSpec<T> backoff(Duration first, Duration longest) {
        if (Arguments.required("first pause", first).isNegative()
                || Arguments.required("longest pause", longest).compareTo(first) < 0) {
            throw new IllegalArgumentException("a back-off from " + first + " to " + longest + " does not grow");
        }
        firstPause = first;
        longestPause = longest;
        return this;
    }

    @Override
    public RunSpec<T> rate(double rowsPerSecond) {
        rate = checkRate(rowsPerSecond);
        return this;
    }

    @Override
    public RunSpec<T> maxFailures(long attempts) {
        maxFailures = checkNotNegative("maxFailures", attempts);
        return this;
    }

    @Override
    public RunSpec<T> maxFailurePercent(int percent) {
        maxPercent = checkPercent(percent);
        return this;
    }

    @Override
    public RunSpec<T> pollEvery(Duration interval) {
        if (Arguments.required("interval", interval).isNegative() || interval.isZero()) {
            throw new IllegalArgumentException("pollEvery is " + interval + "; it must be positive");
        }
        pollEvery = interval;
        return this;
    }

    @Override
    public RunSpec<T> total(long estimate) {
        total = checkNotNegative("total", estimate);
        return this;
    }

    @Override
    public RunSpec<T> label(String label) {
        this.label = Names.check("label", label);
        return this;
    }

    @Override
    public LocalWorkers<T> work(RunWork<T> work) {
        return new LocalWorkers<>(this, new RowProcessor.Plain<>(Arguments.required("work", work)));
    }

    @Override
    public LocalWorkers<T> workInTransaction(RunTransactionWork<T> work) {
        Arguments.required("work", work);
        return new LocalWorkers<>(this, new RowProcessor.InTransaction<>(work, claims, context.dataSource()));
    }

    @Override
    public void ensureFinished() {
        new DatabaseRun(context, open, name).ensureFinished(claims::isSomethingLeft);
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
