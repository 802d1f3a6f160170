package dev.dibs.runs;

import dev.dibs.DatabaseFailureException;
import java.time.Duration;
import java.util.Optional;

/**
 * The workers of a run in this process.
 *
 * <p>They end when no row is left, when the run is stopped, when they are {@linkplain #close closed}, or when the process gets
 * SIGTERM. Each then finishes its current row and releases the others. A worker also ends if the database keeps refusing its
 * statements, as for a missing column or right. Safe for use by any thread.
 *
 * @param <T> the type that a row is mapped to
 */
public interface RunWorkers<T> extends AutoCloseable {

    /** How the workers ended. */
    enum End {
        /** No row was left: every row is done. */
        FINISHED,
        /** No row was left to try, but dead letters are left. */
        INCOMPLETE,
        /** The run was stopped, or too many attempts failed. */
        STOPPED,
        /** At least one had to end, and none found that no row is left; see {@link RunWorkers#failure}. */
        FAILED,
        /** They were closed here. */
        CLOSED
    }

    /**
     * Creates the run if it does not exist, and starts the workers.
     *
     * @return this
     * @throws IllegalStateException if they were started before
     * @throws DatabaseFailureException if the request to the database fails: no worker was started, and you may call it again
     */
    RunWorkers<T> start();

    /** Waits until all workers here have ended, and returns how. */
    End await() throws InterruptedException;

    /** The error that made a worker here end; empty if there was none. */
    Optional<Throwable> failure();

    /** Waits for a limited time; returns whether all workers here have ended. */
    boolean await(Duration atMost) throws InterruptedException;

    /** The run that they work on. */
    Run run();

    /**
     * Ends the workers here: each finishes its current row and releases the others. Work that takes longer than a minute is
     * interrupted. Other processes go on. A call from within the work does not wait.
     */
    @Override
    void close();
}
