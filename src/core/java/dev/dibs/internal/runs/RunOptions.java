package dev.dibs.internal.runs;

import dev.dibs.internal.claims.ClaimEngine;
import dev.dibs.internal.instance.Context;
import dev.dibs.internal.sql.call.Params;
import dev.dibs.internal.values.RunLimits;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * The options of a run's workers. They do not change once the builder has them.
 *
 * @param <T> the type that a row is mapped to
 */
final class RunOptions<T> implements Cloneable {

    private static final double MILLI = 1000;
    private static final int USUAL_BATCH = 10;

    final Context context;
    final RunTable table;
    final String name;
    final ClaimEngine<T> claims;
    final RunWakes wakes;

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

    String holder;

    RunOptions(Context context, RunTable table, ClaimEngine<T> claims, RunWakes wakes) {
        this.context = context;
        this.table = table;
        this.name = table.name();
        this.claims = claims;
        this.wakes = wakes;
        this.holder = context.holder();
    }

    /** A copy, to be changed before any other thread has it. */
    @SuppressWarnings("unchecked")
    RunOptions<T> copy() {
        try {
            return (RunOptions<T>) clone();
        } catch (CloneNotSupportedException e) {
            throw new AssertionError(e);
        }
    }

    /** The settings of a new run; after that, its row in the database counts. */
    Params settings() {
        return Params.none()
                .with("batch", batch == null ? USUAL_BATCH : batch)
                .with("rate", rate == null ? 0 : rate)
                .with("max_failures", maxFailures == null ? 0 : maxFailures)
                .with("max_percent", maxPercent == null ? 0 : maxPercent);
    }

    /** The options that the run's row overrules, for people; empty if there are none. */
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

    /** Returns it in thousandths. */
    static long checkRate(double rowsPerSecond) {
        double rate = RunLimits.checkRate(rowsPerSecond);
        return rate == 0 ? 0 : Math.max(1, Math.round(rate * MILLI));
    }
}
