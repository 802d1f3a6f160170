package dev.dibs.claims;

import dev.dibs.DatabaseFailureException;
import dev.dibs.Finding;
import dev.dibs.internal.values.OwnerToken;
import java.sql.Connection;
import java.util.List;

/**
 * Claims on the rows of one table. At most one claim has a row at a time, and marks it with its random token.
 *
 * <p>A claim that ends by time is renewed in the background until it is closed, unless it joined the caller's transaction. Methods
 * that take a {@link Connection} join its transaction: their effect happens if and only if it commits. Nothing is retried or
 * renewed for them.
 *
 * <p>Safe for use by any thread.
 *
 * @param <T> the type that a row is mapped to
 */
public interface RowClaims<T> {

    /** The largest number of rows in one claim. A claim is one statement, and its rows are in memory together. */
    int LARGEST_CLAIM = 10_000;

    /**
     * Claims up to n free rows, in order. Rows that another transaction has locked are skipped.
     *
     * @param n from 1 to {@value #LARGEST_CLAIM}
     * @return the claim, which is empty if nothing is free, or was found so far: see {@link Claim#hasSearchedAll}
     * @throws DatabaseFailureException if the request to the database fails; if the claim may have taken effect nonetheless, the message has
     *     its token
     */
    Claim<T> claim(int n);

    /**
     * Claims up to n free rows under the caller's own token. A second call with the same token returns the rows that the token has.
     * So a caller that got no answer can repeat the call. Do not use one token in two calls at the same time.
     *
     * @param token 1 to 32 characters of a-z, 0-9, {@code -}, {@code _}, {@code .} and {@code :}, not beginning with {@code dibs-}; see
     *     {@link #newToken}
     * @param n from 1 to {@value #LARGEST_CLAIM}
     * @throws DatabaseFailureException if the request to the database fails
     */
    Claim<T> claim(String token, int n);

    /**
     * Claims up to n free rows as a part of the caller's transaction.
     *
     * @param n from 1 to {@value #LARGEST_CLAIM}
     * @throws IllegalStateException if autocommit is on
     * @throws DatabaseFailureException if the statement fails; roll back
     */
    Claim<T> claim(Connection connection, int n);

    /**
     * Claims up to n free rows under the caller's own token, as a part of the caller's transaction.
     *
     * @param token 1 to 32 characters of a-z, 0-9, {@code -}, {@code _}, {@code .} and {@code :}, not beginning with {@code dibs-}; see
     *     {@link #newToken}
     * @param n from 1 to {@value #LARGEST_CLAIM}
     * @throws IllegalStateException if autocommit is on
     * @throws DatabaseFailureException if the statement fails; roll back
     */
    Claim<T> claim(Connection connection, String token, int n);

    /**
     * The rows with this token: claimed by this or another process, or inserted with it. From now on they are renewed until the
     * claim is closed.
     *
     * @throws DatabaseFailureException if the request to the database fails
     */
    Claim<T> find(String token);

    /**
     * The rows with this token, as the caller's transaction sees them.
     *
     * @throws IllegalStateException if autocommit is on
     * @throws DatabaseFailureException if the statement fails; roll back
     */
    Claim<T> find(Connection connection, String token);

    /**
     * Releases all rows with this token by force. Their worker learns of it at the next renewal or completion. Rows that another
     * transaction has locked are skipped.
     *
     * @return their keys
     * @throws DatabaseFailureException if the request to the database fails
     */
    List<RowKey> release(String token);

    /**
     * The number of rows that are left to be done, claimed or not, without those that a run has given up as dead. Reads all of
     * them.
     *
     * @throws DatabaseFailureException if the request to the database fails
     */
    long count();

    /**
     * Checks that the table has the key that claims need, and indexes that they can use, as far as the catalog shows it. {@link
     * Finding#remedy} says what to do. What is missing was also logged as one warning when these claims were built. The command {@code
     * dibs doctor --claims} names the statement that creates the index. A check that fails is a warning with its error, and the others are
     * made all the same.
     */
    List<Finding> doctor();

    /** A new random token, for {@link #claim(String, int)} or for rows that are inserted with it. */
    static String newToken() {
        return OwnerToken.next();
    }
}
