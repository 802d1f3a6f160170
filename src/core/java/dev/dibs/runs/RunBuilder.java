package dev.dibs.runs;

import dev.dibs.claims.RowClaims;
import java.time.Duration;
import java.util.concurrent.Executor;

/**
 * Says what the workers of a run do. Batch, rate and budget are those that the run is made with; from then on {@link Run} or the
 * command {@code dibs run set} changes them, and what stands here no longer matters: a start
 * that says otherwise logs at INFO which settings hold.
 *
 * <p>Immutable: each method returns another builder with its change. Safe for use by any thread.
 *
 * @param <T> what a row is mapped to
 */
public interface RunBuilder<T> {

    /**
     * How many rows a worker claims at once. Default 10.
     *
     * @param rows from 1 to {@value RowClaims#LARGEST_CLAIM}
     */
    RunBuilder<T> batch(int rows);

    /** How many workers run here, from 1 to 1,000. Default 1. */
    RunBuilder<T> threads(int threads);

    /** Where the workers run: each is one long task. Default: threads of their own, named after the run. */
    RunBuilder<T> executor(Executor executor);

    /** How often a row is tried before it counts as dead, from 1 on. Default 5. */
    RunBuilder<T> maxAttempts(int attempts);

    /** How long a row that failed waits for its second attempt, twice as long for each further one, and at most. */
    RunBuilder<T> backoff(Duration first, Duration longest);

    /** How many rows a second all workers together may do; 0 for no limit, which is the default. */
    RunBuilder<T> rate(double rowsPerSecond);

    /** At how many failed attempts the run stops; 0 for no limit, which is the default. */
    RunBuilder<T> maxFailures(long attempts);

    /** At how many failed attempts in a hundred the run stops, once 50 were made; 0 for no limit. */
    RunBuilder<T> maxFailurePercent(int percent);

    /** Does not end when nothing is left, but looks again every so often. Default: it ends. */
    RunBuilder<T> pollEvery(Duration interval);

    /** About how many rows there are, for a table that is too large to be counted at the start. */
    RunBuilder<T> total(long estimate);

    /** Who the workers are, for people. Default: the holder's label of the {@link dev.dibs.Dibs}. */
    RunBuilder<T> holder(String holder);

    /** What is done with each row. A worker that vanishes in between has another one do it again. */
    RunWorkers<T> work(RunWork<T> work);

    /** What is done with each row, in the transaction that completes it: it takes effect exactly once. */
    RunWorkers<T> workInTransaction(RunTransactionWork<T> work);

    /**
     * Goes on only if nothing of these claims is left and no row is dead: the gate for a deployment that needs the run to be through. It
     * looks at the table.
     *
     * @throws dev.dibs.DibsException if it is not, with the numbers
     */
    void ensureFinished();
}
