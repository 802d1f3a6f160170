package dev.dibs.runs;

import dev.dibs.DibsException;
import dev.dibs.claims.ClaimsBuilder;
import dev.dibs.claims.RowClaims;
import java.util.List;
import java.util.Optional;

/**
 * A named job over the rows of a table, with any number of workers on any number of machines, and the switches that they all
 * obey: what is changed here holds from every worker's next batch on.
 *
 * <p>The methods that ask or change throw {@link DibsException} if the database cannot be asked, and all but {@link #status} and
 * {@link #over} do so too if nobody has started the run yet. Safe for use by any thread.
 */
public interface Run {

    /** How many errors or dead rows are listed at most. */
    int LONGEST_LIST = 1_000;

    /** The run's name. */
    String name();

    /**
     * Begins to build workers for this process.
     *
     * @param claims which rows; they must end by time, so that a worker that vanished costs its rows one lease
     * @throws IllegalArgumentException if the claims stand until they are released
     */
    <T> RunBuilder<T> over(RowClaims<T> claims);

    /** How far it is; empty if nobody has started it yet, or since it was {@linkplain #reset reset}. */
    Optional<RunStatus> status();

    /**
     * Has all workers wait, from their next batch on.
     *
     * @param reason for people: up to 1,000 characters; may be empty
     */
    void pause(String reason);

    /** Has all workers work again, also after a {@link #stop}: then those that ended must be started again. */
    void resume(String reason);

    /** Ends all workers, each after the batch that it has in hand; those that start end at once, until it is resumed. */
    void stop(String reason);

    /**
     * How many rows a worker claims at once.
     *
     * @param rows from 1 to {@value RowClaims#LARGEST_CLAIM}
     */
    void setBatch(int rows);

    /**
     * How many rows a second all workers may do together.
     *
     * @param rowsPerSecond 0 for no limit
     */
    void setRate(double rowsPerSecond);

    /** At how many failed attempts the run stops; 0 for no limit. */
    void setMaxFailures(long attempts);

    /** At how many failed attempts in a hundred the run stops, once 50 were made; 0 for no limit. */
    void setMaxFailurePercent(int percent);

    /** The latest attempts that failed, the latest first. */
    List<RunError> errors(int limit);

    /** Rows that were given up, the oldest first. */
    List<DeadLetter> dead(int limit);

    /**
     * Has the rows that were given up tried again, from the first attempt on. A worker of the run does that when it is next
     * without work, or has it started again.
     *
     * @return how many rows
     */
    long retryDead();

    /**
     * Forgets how far the run is: its numbers, its settings, its workers and its errors. Rows that it has given up are tried again, from
     * the first attempt on, by whoever starts it next. The rows of your table are not changed: open those that are to be done again
     * yourself.
     *
     * @throws DibsException also if a worker of it is alive: stop it first
     */
    void reset();

    /**
     * Whether no row of the table is left and none is dead. It looks at the table: what workers found last may be over. For a program that
     * knows no claims; a run over ranges does not mark its rows, so that only {@link RunBuilder#ensureFinished} can tell.
     *
     * @param tableName as for {@code Dibs.claims(..)}
     * @param where which rows are to be worked off, as for {@link ClaimsBuilder#where}; it becomes a part of a statement, so that it must
     *     not come from anybody whom you do not trust
     * @throws IllegalArgumentException if either cannot stand in a statement
     */
    boolean isFinished(String tableName, String where);
}
