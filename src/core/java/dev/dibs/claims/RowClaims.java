package dev.dibs.claims;

import dev.dibs.DibsException;
import dev.dibs.Finding;
import dev.dibs.internal.values.OwnerToken;
import java.sql.Connection;
import java.util.List;

/**
 * Claims on the rows of one table: each row has one claimer at most, who marks it with the random token of the claim.
 *
 * <p>What is claimed outside of a transaction of the caller's is renewed in the background until the claim is closed, if it ends
 * by time at all. Methods that take a {@link Connection} join its transaction: what they do happens if and only if it is
 * committed, and nothing is retried or renewed for them.
 *
 * <p>Safe for use by any thread.
 *
 * @param <T> what a row is mapped to
 */
public interface RowClaims<T> {

    /** More rows than this are not claimed at once: a claim is a statement, and a batch in memory. */
    int LARGEST_CLAIM = 10_000;

    /**
     * Claims up to n free rows, in order. Those that somebody has locked are passed over.
     *
     * @param n from 1 to {@value #LARGEST_CLAIM}
     * @return the claim, which is empty if nothing is free
     * @throws DibsException if the database cannot be asked; if the claim may have taken effect nonetheless, the message has its
     *     token
     */
    Claim<T> claim(int n);

    /**
     * Claims up to n free rows under the caller's own token. Asked again with the same token, it returns the rows that the token
     * has, so that a caller who got no answer can repeat it. Do not use one token in two calls at the same time.
     *
     * @param token 1 to 32 ASCII characters without blanks; see {@link #newToken}
     * @param n from 1 to {@value #LARGEST_CLAIM}
     * @throws DibsException if the database cannot be asked
     */
    Claim<T> claim(String token, int n);

    /**
     * Claims up to n free rows as a part of the caller's transaction.
     *
     * @param n from 1 to {@value #LARGEST_CLAIM}
     * @throws IllegalStateException if autocommit is on
     * @throws DibsException if the statement fails; roll back
     */
    Claim<T> claim(Connection connection, int n);

    /**
     * Claims up to n free rows under the caller's own token, as a part of the caller's transaction.
     *
     * @param token 1 to 32 ASCII characters without blanks; see {@link #newToken}
     * @param n from 1 to {@value #LARGEST_CLAIM}
     * @throws IllegalStateException if autocommit is on
     * @throws DibsException if the statement fails; roll back
     */
    Claim<T> claim(Connection connection, String token, int n);

    /**
     * The rows that have a token: of a claim of this or another process, or rows that were inserted with it. They are renewed
     * from now on until the claim is closed.
     *
     * @throws DibsException if the database cannot be asked
     */
    Claim<T> find(String token);

    /**
     * The rows that have a token, as the caller's transaction sees them.
     *
     * @throws IllegalStateException if autocommit is on
     * @throws DibsException if the statement fails; roll back
     */
    Claim<T> find(Connection connection, String token);

    /**
     * Lets go of all rows that have a token, by force: whoever has claimed them learns of it at the next renewal or completion.
     * Rows that somebody has locked just now are passed over.
     *
     * @return their keys
     * @throws DibsException if the database cannot be asked
     */
    List<RowKey> release(String token);

    /**
     * How many rows are left to be worked off, claimed or not; those that a run has given up as dead are not among them. Reads
     * them all.
     *
     * @throws DibsException if the database cannot be asked
     */
    long count();

    /**
     * Looks whether the table has the key and the index that claims need. What is missing comes with the statement that makes it
     * as {@link Finding#remedy}, and was logged as one warning when these claims were built.
     *
     * @throws DibsException if the database cannot be asked
     */
    List<Finding> doctor();

    /** A fresh random token, for {@link #claim(String, int)} or for rows that are inserted with it. */
    static String newToken() {
        return OwnerToken.next();
    }
}
