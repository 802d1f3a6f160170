package dev.dibs.runs;

import dev.dibs.claims.RowClaims;
import dev.dibs.internal.values.CheckReturnValue;
import java.time.Duration;
import java.util.concurrent.Executor;

/**
 * Describes what the workers of a run do. Batch, rate and error budget apply when the run is created. From then on {@link Run} or
 * the command {@code dibs run set} changes them, and the values here are ignored. A start with other values logs at INFO which
 * settings apply.
 *
 * <p>Immutable: each method returns another builder with its change. Safe for use by any thread.
 *
 * @param <T> the type that a row is mapped to
 */
@CheckReturnValue
public interface RunBuilder<T> {

    /**
     * How many rows a worker claims at once. Default 10.
     *
     * @param rows from 1 to {@value RowClaims#LARGEST_CLAIM}
     */
    RunBuilder<T> batch(int rows);

    /** How many workers run here, from 1 to 1,000. Default 1. */
    RunBuilder<T> threads(int threads);

    /** The executor of the workers; each worker is one long task. Default: threads of their own, named after the run. */
    RunBuilder<T> executor(Executor executor);

    /** How many attempts a row gets before it counts as dead; at least 1. Default 5. */
    RunBuilder<T> maxAttempts(int attempts);

    /** The pause of a failed row before its second attempt, which doubles for each further one, and the longest pause. */
    RunBuilder<T> backoff(Duration first, Duration longest);

    /** How many rows a second all workers together may do; 0 for no limit, which is the default. */
    RunBuilder<T> rate(double rowsPerSecond);

    /** After how many failed attempts the run stops; 0 for no limit, which is the default. */
    RunBuilder<T> maxFailures(long attempts);

    /** At which percentage of failed attempts the run stops, once 50 attempts were made; 0 for no limit. */
    RunBuilder<T> maxFailurePercent(int percent);

    /**
     * Keeps the workers when nothing is left. One of them looks for all of this start at this interval, and sooner after {@link
     * Run#wake()}. Default: they end.
     */
    RunBuilder<T> pollEvery(Duration interval);

    /** An estimate of the number of rows, for a table that is too large to be counted at the start. */
    RunBuilder<T> total(long estimate);

    /** The label of the workers, for people. Default: the holder's label of the {@link dev.dibs.Dibs}. */
    RunBuilder<T> holder(String holder);

    /** Sets the work on each row. If a worker vanishes during it, another worker does it again. */
    RunWorkers<T> work(RunWork<T> work);

    /** Sets the work on each row, in the transaction that completes the row: it takes effect exactly once. */
    RunWorkers<T> workInTransaction(RunTransactionWork<T> work);

    /**
     * Returns only if no row of these claims is left, and none is dead or is still to be tried again. It is the gate for a deployment
     * that needs the run to be finished. It reads the table.
     *
     * @throws dev.dibs.DatabaseFailureException if the run is not finished, with the numbers
     */
    void ensureFinished();
}
