package dev.dibs.claims;

import dev.dibs.DibsException;
import java.time.Duration;

/**
 * Says which rows of which table can be claimed, and where claims are kept: in a {@link #token} column (a claim stands until it
 * is released), in a token and an {@link #until} column (a claim ends by time, too), in a {@link #sideTable}, or as {@link #ranges}
 * of keys.
 *
 * <p>Names may be plain, or quoted as in {@code "order"}, and a table's may have a schema before it. They are checked. {@link
 * #where}, {@link #orderBy} and {@link #completeSet} are SQL of the developer's, which must never be made of anybody's input.
 *
 * <p>Immutable: each method returns another builder with its change. Safe for use by any thread.
 */
public interface ClaimsBuilder {

    /** The columns that make a row's key: unique together and never NULL. */
    ClaimsBuilder key(String... columns);

    /** The column for a claim's token: a text of at least 32 characters, NULL in a row that nobody has claimed. */
    ClaimsBuilder token(String column);

    /**
     * The column that says until when a claim holds: a BIGINT, in milliseconds since 1970 UTC by the database's clock. With it
     * a row whose claimer has vanished returns to the pool when its time is over. Without it a claim stands until released.
     */
    ClaimsBuilder until(String column);

    /** Keeps the claims in {@code dibs_claim}, for a table that cannot have columns more. They end by time. */
    ClaimsBuilder sideTable();

    /**
     * Claims whole ranges of keys, for work that does every row once, in the order of the key: the rows are not written at all,
     * which is the fastest way over a large table. The key must be one column with whole numbers. Rows that come in behind what has
     * been claimed already are not seen, so that new rows must have greater keys than all that are committed.
     *
     * @param name of this pass over the table, 1 to 200 characters: under a new name every row is done again
     */
    ClaimsBuilder ranges(String name);

    /** Which rows are to be worked off, as in {@code processed_ts IS NULL}; a row that is completed must no longer be among them. */
    ClaimsBuilder where(String condition);

    /** In which order; by default that of the key. */
    ClaimsBuilder orderBy(String columns);

    /** How long a claim holds without being renewed, from 100 milliseconds to one day. By default as long as a lock's lease. */
    ClaimsBuilder lease(Duration lease);

    /**
     * What completing a row sets, in the same statement that drops its mark.
     *
     * @param assignments as after SET: {@code processed_ts = CURRENT_TIMESTAMP}
     */
    ClaimsBuilder completeSet(String assignments);

    /** Completing a row deletes it. */
    ClaimsBuilder completeDelete();

    /**
     * Looks at the table, and makes claims whose rows are just their keys.
     *
     * @throws IllegalArgumentException if something is missing or is no name
     * @throws DibsException if the table or a column is not there or of the wrong type, or the database cannot be asked
     */
    RowClaims<RowKey> build();

    /**
     * Looks at the table, and makes claims whose rows are what the mapper makes of them.
     *
     * @throws IllegalArgumentException if something is missing or is no name
     * @throws DibsException if the table or a column is not there or of the wrong type, or the database cannot be asked
     */
    <T> RowClaims<T> build(RowMapper<T> mapper);
}
