package dev.dibs.runs;

import dev.dibs.DatabaseFailureException;
import dev.dibs.DibsException;
import dev.dibs.claims.ClaimsBuilder;
import dev.dibs.claims.RowClaims;
import java.sql.Connection;
import java.util.List;
import java.util.Optional;

/**
 * A named job over the rows of a table, with any number of workers on any number of machines. All workers obey its settings: a
 * change made here holds from every worker's next batch on.
 *
 * <p>The methods that ask or change throw {@link DatabaseFailureException} if the request to the database fails. All but {@link
 * #status}, {@link #over} and the wakes throw {@link DibsException} if the run was never started. Safe for use by any thread.
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
     * Makes all workers wait, from their next batch on. Like {@link #stop} and {@link #retryDead}, it wakes idle workers as {@link #wake}
     * does; those that it does not reach see it at their next look.
     *
     * @param reason for people: up to 1,000 characters; may be empty
     */
    void pause(String reason);

    /** Makes all workers work again, also after a {@link #stop}. Workers that ended must be started again. */
    void resume(String reason);

    /** Ends all workers, each after its current batch. Until the run is resumed, workers that start end at once. */
    void stop(String reason);

    /**
     * Lets an idle worker look for rows at once, instead of at its next {@link RunBuilder#pollEvery}. Call it after the commit that
     * has added rows, from any process.
     *
     * <p>It returns at once, on every database: it takes no connection on the calling thread, and throws nothing if the database
     * does not answer. It wakes the workers of this {@link dev.dibs.Dibs}. On PostgreSQL it also wakes those of other processes
     * whose Dibs has {@link dev.dibs.DibsBuilder#wakeByNotify()}. A thread in the background tells them; while it does, further
     * calls count as one.
     *
     * <p>A wake is a hint. It may be lost, as by a Dibs that is closed right after it, come late or come for nothing: then only the
     * time of a look changes. While the run is paused, or its rate is used up, no row begins sooner.
     *
     * @throws IllegalStateException if the Dibs is closed
     */
    void wake();

    /**
     * The same for the rows that the caller's transaction adds: it wakes at the commit, and not after a rollback. Call it within that
     * transaction, before or after its statements.
     *
     * <p>On PostgreSQL it sends one statement, which wakes the workers of this process and others by {@code NOTIFY} if any are
     * idle; they need {@link dev.dibs.DibsBuilder#wakeByNotify()}. Not for XA: PostgreSQL refuses to prepare a transaction that has
     * notified. On other databases, or if this process does not listen, it sends nothing, or nobody hears it. Then the workers of
     * this Dibs look 10, 50, 250 and 1,000 ms later. They find the rows of a later commit at their next {@code pollEvery}.
     *
     * @param connection of the caller's transaction; it is neither committed nor closed
     * @throws DatabaseFailureException if the transaction has failed before, or its connection is lost
     * @throws IllegalStateException if the Dibs is closed
     */
    void wake(Connection connection);

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
