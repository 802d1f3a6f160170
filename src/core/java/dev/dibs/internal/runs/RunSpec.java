package dev.dibs.internal.runs;

import dev.dibs.internal.claims.store.ClaimSizes;
import dev.dibs.internal.values.Arguments;
import dev.dibs.internal.values.Names;
import dev.dibs.internal.values.RunLimits;
import dev.dibs.internal.values.Strings;
import dev.dibs.runs.RunBuilder;
import dev.dibs.runs.RunTransactionWork;
import dev.dibs.runs.RunWork;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.function.Consumer;

/** Builds the workers of a run. Each method returns another builder with its change. */
final class RunSpec<T> implements RunBuilder<T> {

    private static final int MOST_THREADS = 1_000;

    private final RunOptions<T> options;
    private final Set<LocalWorkers<?>> open;

    /**
     * With these options.
     *
     * @param open the workers that have started and not ended
     */
    RunSpec(RunOptions<T> options, Set<LocalWorkers<?>> open) {
        this.options = options;
        this.open = open;
    }

    private RunSpec<T> with(Consumer<RunOptions<T>> change) {
        RunOptions<T> changed = options.copy();
        change.accept(changed);
        return new RunSpec<>(changed, open);
    }

    @Override
    public RunSpec<T> batch(int rows) {
        return with(changed -> changed.batch = ClaimSizes.check(rows));
    }

    @Override
    public RunSpec<T> threads(int threads) {
        if (threads < 1 || threads > MOST_THREADS) {
            throw new IllegalArgumentException(threads + " threads are out of bounds; 1 to " + MOST_THREADS);
        }
        return with(changed -> changed.threads = threads);
    }

    @Override
    public RunSpec<T> executor(Executor executor) {
        return with(changed -> changed.executor = Arguments.required("executor", executor));
    }

    @Override
    public RunSpec<T> maxAttempts(int attempts) {
        if (attempts < 1) {
            throw new IllegalArgumentException("maxAttempts is " + attempts + "; it must be 1 or more");
        }
        return with(changed -> changed.maxAttempts = attempts);
    }

    @Override
    public RunSpec<T> backoff(Duration first, Duration longest) {
        if (Arguments.required("first pause", first).isNegative()
                || Arguments.required("longest pause", longest).compareTo(first) < 0) {
            throw new IllegalArgumentException("a back-off from " + first + " to " + longest + " does not grow");
        }
        return with(changed -> {
            changed.firstPause = first;
            changed.longestPause = longest;
        });
    }

    @Override
    public RunSpec<T> rate(double rowsPerSecond) {
        return with(changed -> changed.rate = RunOptions.checkRate(rowsPerSecond));
    }

    @Override
    public RunSpec<T> maxFailures(long attempts) {
        return with(changed -> changed.maxFailures = RunLimits.checkNotNegative("maxFailures", attempts));
    }

    @Override
    public RunSpec<T> maxFailurePercent(int percent) {
        return with(changed -> changed.maxPercent = RunLimits.checkPercent(percent));
    }

    @Override
    public RunSpec<T> pollEvery(Duration interval) {
        if (Arguments.required("interval", interval).isNegative() || interval.isZero()) {
            throw new IllegalArgumentException("pollEvery is " + interval + "; it must be positive");
        }
        return with(changed -> changed.pollEvery = interval);
    }

    @Override
    public RunSpec<T> total(long estimate) {
        return with(changed -> changed.total = RunLimits.checkNotNegative("total", estimate));
    }

    @Override
    public RunSpec<T> holder(String holder) {
        return with(changed -> changed.holder = Names.check("holder", holder));
    }

    @Override
    public LocalWorkers<T> work(RunWork<T> work) {
        return new LocalWorkers<>(options, open, new RowProcessor.Plain<>(Arguments.required("work", work)));
    }

    @Override
    public LocalWorkers<T> workInTransaction(RunTransactionWork<T> work) {
        Arguments.required("work", work);
        return new LocalWorkers<>(options, open, new RowProcessor.InTransaction<>(work, options.context));
    }

    @Override
    public void ensureFinished() {
        new DatabaseRun(options.context, open, options.wakes, options.table).ensureFinished(options.claims);
    }

    @Override
    public String toString() {
        return "RunBuilder[" + Strings.escape(options.name) + "]";
    }
}
