package dev.dibs.runs;

import dev.dibs.DatabaseFailureException;
import dev.dibs.DibsException;
import dev.dibs.claims.ClaimsBuilder;
import dev.dibs.claims.RowClaims;
import java.util.List;
import java.util.Optional;

/**
 * A named job over the rows of a table, with any number of workers on any number of machines. All workers obey its settings: a
 * change made here holds from every worker's next batch on.
 *
 * <p>The methods that ask or change throw {@link DatabaseFailureException} if the request to the database fails. All but {@link
 * #status} and {@link #over} throw {@link DibsException} if the run was never started. Safe for use by any thread.
 */
public interface Run {

    /** The largest number of errors or dead letters in a list. */
    int LONGEST_LIST = 1_000;

    /** The run's name. */
    String name();

    /**
     * Begins to build workers for this process.
     *
     * @param claims which rows; the claims must end by time, so that the rows of a vanished worker wait for one lease only
     * @throws IllegalArgumentException if the claims do not end by time
     */
    <T> RunBuilder<T> over(RowClaims<T> claims);

    /** The progress; empty if the run was never started, or not since it was {@linkplain #reset reset}. */
    Optional<RunStatus> status();

    /**
     * Makes all workers wait, from their next batch on.
     *
     * @param reason for people: up to 1,000 characters; may be empty
     */
    void pause(String reason);

    /** Makes all workers work again, also after a {@link #stop}. Workers that ended must be started again. */
    void resume(String reason);

    /** Ends all workers, each after its current batch. Until the run is resumed, workers that start end at once. */
    void stop(String reason);

    /**
     * Sets how many rows a worker claims at once.
     *
     * @param rows from 1 to {@value RowClaims#LARGEST_CLAIM}
     */
    void setBatch(int rows);

    /**
     * Sets how many rows a second all workers together may do.
     *
     * @param rowsPerSecond 0 for no limit
     */
    void setRate(double rowsPerSecond);

    /** Sets after how many failed attempts the run stops; 0 for no limit. */
    void setMaxFailures(long attempts);

    /** Sets at which percentage of failed attempts the run stops, once 50 attempts were made; 0 for no limit. */
    void setMaxFailurePercent(int percent);

    /** The latest failed attempts, the latest first. */
    List<RunError> errors(int limit);

    /** The rows that were given up, the oldest first. */
    List<DeadLetter> dead(int limit);

    /**
     * Lets the rows that were given up be tried again, from the first attempt on. A worker of the run does so when it next has no
     * work, or when it starts.
     *
     * @return how many rows
     */
    long retryDead();

    /**
     * Forgets the state of the run: its numbers, its settings, its workers and its errors. The next start tries the rows that it
     * has given up again, from the first attempt on. The rows of your table are not changed. To do rows again, make them match the
     * claims' condition yourself.
     *
     * @throws DibsException if one of its workers is alive: stop the run first
     */
    void reset();

    /**
     * Whether no row of the table is left, and none is dead or is still to be tried again. It reads the table, because what the workers found last may be out of
     * date. Use it in a program that has no claims. A run over ranges does not mark its rows, so only {@link
     * RunBuilder#ensureFinished} can tell.
     *
     * @param tableName as for {@code Dibs.claims(..)}
     * @param where which rows are to be done, as for {@link ClaimsBuilder#where}: the row's name is {@code t}. It becomes a part of a
     *     statement, so never take it from an untrusted source
     * @throws IllegalArgumentException if one of them is not valid in a statement
     */
    boolean isFinished(String tableName, String where);
}
