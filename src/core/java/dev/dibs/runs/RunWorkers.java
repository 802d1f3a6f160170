package dev.dibs.runs;

import dev.dibs.DibsException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * The workers of a run in this process.
 *
 * <p>They end when nothing is left, when the run is stopped, when they are {@linkplain #close closed}, or when the process is told
 * to end (SIGTERM): then each finishes the row that it has in hand and releases the others. A worker ends, too, when the database keeps
 * refusing what it asks, as for a missing column or right. Safe for use by any thread.
 *
 * @param <T> what a row is mapped to
 */
public interface RunWorkers<T> extends AutoCloseable {

    /** How the workers ended. */
    enum End {
        /** Nothing was left: every row is done. */
        FINISHED,
        /** Nothing was left to try, but some rows are dead. */
        INCOMPLETE,
        /** Somebody stopped the run, or too much failed. */
        STOPPED,
        /** At least one could not go on, and none found that nothing is left; see {@link RunWorkers#failure}. */
        FAILED,
        /** They were closed here. */
        CLOSED
    }

    /**
     * Makes the run if it is the first one, and starts the workers.
     *
     * @return this
     * @throws IllegalStateException if they were started before
     * @throws DibsException if the database cannot be asked: nobody works, and it may be tried again
     */
    RunWorkers<T> start();

    /** Waits until all workers here have ended, and tells how. */
    End await() throws InterruptedException;

    /** Why a worker here ended that could not go on; empty if none did. */
    Optional<Throwable> failure();

    /** Waits for a while at most; returns whether they have ended. */
    boolean await(Duration atMost) throws InterruptedException;

    /** The run that they work on. */
    Run run();

    /**
     * Shows what a worker would do first, and does nothing: claims up to n rows in a transaction, does the work if that joins the
     * transaction, and rolls back. Work that does not join it is not done.
     *
     * @return the rows
     * @throws Exception whatever the work or the data source throws
     */
    List<T> dryRun(int n) throws Exception;

    /**
     * Ends the workers here: each finishes the row that it has in hand and releases the others. A row that takes longer than a
     * minute is interrupted. Other processes go on. From within the work it does not wait.
     */
    @Override
    void close();
}
