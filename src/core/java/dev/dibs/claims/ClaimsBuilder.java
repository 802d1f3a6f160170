package dev.dibs.claims;

import dev.dibs.DatabaseFailureException;
import dev.dibs.internal.values.CheckReturnValue;
import java.time.Duration;
import java.util.List;

/**
 * Describes which rows of which table can be claimed, and where the claims are kept. There are four ways. With a {@link #token}
 * column a claim stands until it is released. With a token and an {@link #until} column a claim also ends by time. The others are a
 * {@link #sideTable} and {@link #ranges} of keys.
 *
 * <p>Names may be plain, or quoted as in {@code "order"}; a table's name may begin with its schema. Names are checked. {@link
 * #where}, {@link #orderBy} and {@link #completeSet} are the developer's SQL. Never build them from user input.
 *
 * <p>Immutable: each method returns another builder with its change. Safe for use by any thread.
 */
@CheckReturnValue
public interface ClaimsBuilder {

    /**
     * The columns of a row's key. Together they are unique. Rows where one is NULL are skipped. A primary key or a unique index must say so, over all
     * or some of these columns and over all rows, or {@link #build()} refuses the key. It also refuses types whose values do not come
     * back exactly as they went, such as binary fractions, and TIMESTAMP of MariaDB and MySQL.
     */
    ClaimsBuilder key(String... columns);

    /**
     * Says that the key is unique although the catalog does not show it, as for a view, or for a table whose other columns decide.
     * If it is not, rows that share a key are claimed and completed as one, and a claim may have more rows than were asked for.
     */
    ClaimsBuilder uniqueKey();

    /** The column for a claim's token: a text of at least 32 characters, NULL in a row that nobody has claimed. */
    ClaimsBuilder token(String column);

    /**
     * The column for the end of a claim, in milliseconds since 1970 UTC by the database's clock: a BIGINT, or another type that holds
     * 16 digits, as INTEGER does on SQLite. With it, a row whose
     * worker has vanished becomes free when its time is over. Without it, a claim stands until it is released.
     */
    ClaimsBuilder until(String column);

    /** Keeps the claims in {@code dibs_claim}, for a table to which you cannot add columns. They end by time. */
    ClaimsBuilder sideTable();

    /**
     * Claims whole ranges of keys, for work that does every row once, in the order of the key. Dibs does not write to the rows,
     * which is the fastest way through a large table. The key must be one column with whole numbers. Rows that are inserted below
     * the highest claimed key are not seen. So new rows must have greater keys than all that are committed.
     *
     * @param name the name of this pass over the table, 1 to 200 characters; under a new name every row is done again
     */
    ClaimsBuilder ranges(String name);

    /**
     * Which rows are to be done, as in {@code processed_ts IS NULL}. A completed row must no longer match.
     *
     * <p>In every statement the row's name is {@code t}, here as in {@link #orderBy} and {@link #completeSet}. So the condition may
     * compare it with other rows: {@code done IS NULL AND EXISTS (SELECT 1 FROM customers c WHERE c.id = t.customer AND c.active = 1)}.
     * For a limit per customer use {@link #perKey}.
     */
    ClaimsBuilder where(String condition);

    /** The order of the rows; by default that of the key. */
    ClaimsBuilder orderBy(String columns);

    /**
     * At most so many rows with the same value of a column are in work at any time, by valid claims, as in {@code
     * perKey("customer", 1)}. Only the first open rows of a value can be claimed, in the order of {@link #orderBy}. So with 1, the
     * rows of a customer are done one after the other: a row that has failed and waits for its retry, or that is postponed, holds
     * the later ones back. The values take turns: a customer with a million rows does not keep the others waiting. NULL is a value
     * like the others. A claim passes the values whose rows are in work, waiting or dead, and with many thousands of them it may end before
     * it has seen all: see {@link Claim#hasSearchedAll}.
     *
     * <p>A claim needs an index of this column and the order: {@code dibs doctor --claims .. --per-key customer} names it. Without
     * it each claim reads the whole table.
     *
     * <p>Limit and order hold for the rows that are committed when a claim looks. If a row is committed later with an earlier place,
     * becomes open again, meets {@link #where} only later, as by its due time, or comes to another value of the column, it is claimed
     * beside those in work. So take an order in which new rows come last, such as {@code "due_at, id"}, let only the completion of a
     * row end its {@link #where}, and do not change the column of an open row. All programs that claim rows of the table need the same
     * limit, condition and order. {@code build} refuses connections that read uncommitted rows, except on PostgreSQL and SQL Server; a
     * connection that is handed to a claim must not do so either.
     *
     * @param column one whose type can be a key; on MariaDB and MySQL no ENUM or SET, on SQL Server no text in another code
     *     page than the database's; not with {@link #ranges}. If it may be NULL only since {@code build}, build the claims again. No
     *     value that the database itself refuses, such as a zero date of MySQL: it stops the claims of all keys
     * @param atMost 1 to {@value RowClaims#LARGEST_CLAIM}
     * @throws IllegalArgumentException if the number is out of range
     */
    ClaimsBuilder perKey(String column, int atMost);

    /**
     * The same for rows with the same values in several columns.
     *
     * @param columns 1 to 4, in the order in which the index has them
     * @param atMost 1 to {@value RowClaims#LARGEST_CLAIM}
     * @throws IllegalArgumentException if there are too many columns, or none, or the number is out of range
     */
    ClaimsBuilder perKey(List<String> columns, int atMost);

    /**
     * After {@link #perKey}: a dead letter, which a run has given up, does not hold back the later rows of its key. Without this it does,
     * since they may build on it: an operator retries the dead letter or takes it out, and then the key goes on. With this, a later retry
     * may run while other rows of that key are in work.
     *
     * @throws IllegalArgumentException before {@link #perKey}
     */
    ClaimsBuilder skipDead();

    /** How long a claim lasts without a renewal, from 100 milliseconds to one day. By default as long as a lock's lease. */
    ClaimsBuilder leaseLength(Duration lease);

    /**
     * The assignments of a completion, in the same statement that removes the mark.
     *
     * @param assignments as after SET: {@code processed_ts = CURRENT_TIMESTAMP}
     */
    ClaimsBuilder completeSet(String assignments);

    /** Completing a row deletes it. */
    ClaimsBuilder completeDelete();

    /**
     * Checks the table, and makes claims whose rows are only their keys.
     *
     * @throws IllegalArgumentException if something is missing or is no name
     * @throws DatabaseFailureException if the table or a column is not there or of the wrong type, if nothing makes the key unique, or if the
     *     database cannot be asked
     */
    RowClaims<RowKey> build();

    /**
     * Checks the table, and makes claims whose rows the mapper makes.
     *
     * @throws IllegalArgumentException if something is missing or is no name
     * @throws DatabaseFailureException if the table or a column is not there or of the wrong type, if nothing makes the key unique, or if the
     *     database cannot be asked
     */
    <T> RowClaims<T> build(RowMapper<T> mapper);
}
