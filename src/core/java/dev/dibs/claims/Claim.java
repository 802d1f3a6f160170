package dev.dibs.claims;

import dev.dibs.DibsException;
import java.sql.Connection;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.function.Consumer;

/**
 * Rows that are ours until they are completed or released.
 *
 * <p>A claim that ends by time is renewed in the background until it is closed. A row that was lost all the same, because no
 * renewal got through or somebody released it by force, is reported by {@link #onLost}, is no longer {@linkplain #isHeld held},
 * and completing it changes nothing: the result lists it as lost.
 *
 * <p>Safe for use by any thread.
 *
 * @param <T> what a row is mapped to
 */
public interface Claim<T> extends AutoCloseable {

    /** The random token that marks the rows. */
    String token();

    /** The keys of all rows that were claimed, in order. */
    List<RowKey> keys();

    /**
     * All rows that were claimed, as they were then, in order.
     *
     * @throws DibsException if the mapper failed for one of them; the message names it
     */
    List<T> rows();

    /** Whether nothing was claimed. */
    boolean isEmpty();

    /** How many rows were claimed. */
    int size();

    /** Whether what is held of the claim is certainly still ours, by the local clock. */
    boolean isValid();

    /** Whether a row is certainly still ours: not completed, released or lost. */
    boolean isHeld(Object key);

    /**
     * Calls back with the keys of rows that were lost, on a thread of Dibs. May be called several times, for other rows each
     * time. What a callback throws is logged.
     */
    void onLost(Consumer<? super List<RowKey>> callback);

    /**
     * Extends the claim now, for what is still held of it.
     *
     * @throws IllegalStateException if these claims do not end by time
     * @throws DibsException if the database cannot be asked
     */
    ClaimResult renew();

    /**
     * Completes all rows that are still held.
     *
     * @throws DibsException if the database cannot be asked
     */
    ClaimResult complete();

    /**
     * Completes some rows: runs the effect that the claims were built with and drops the mark, in one statement. A row that is
     * no longer ours is not changed and comes back as lost.
     *
     * @param keys {@link RowKey}s, or the values of a key of one column
     * @throws DibsException if the database cannot be asked; or if its answer was lost and the claim has passed before it could be
     *     asked again, so that it is not known whether they were completed
     */
    ClaimResult complete(Collection<?> keys);

    /**
     * Completes rows as a part of the caller's transaction. If it is rolled back they are still ours.
     *
     * @param keys {@link RowKey}s, or the values of a key of one column
     * @throws IllegalStateException if autocommit is on
     * @throws DibsException if the statement fails; roll back
     */
    ClaimResult complete(Connection connection, Collection<?> keys);

    /**
     * Completes all rows that are still held and claims the next ones, in one transaction and, where the database can, one
     * round trip.
     *
     * @param n from 1 to {@value RowClaims#LARGEST_CLAIM}
     * @throws DibsException if the database cannot be asked
     */
    NextClaim<T> completeAndClaim(int n);

    /**
     * Completes some rows and claims the next ones, in one transaction and, where the database can, one round trip. The other
     * rows of this claim stay claimed.
     *
     * @param keys {@link RowKey}s, or the values of a key of one column
     * @param n from 1 to {@value RowClaims#LARGEST_CLAIM}
     * @throws DibsException if the database cannot be asked
     */
    NextClaim<T> completeAndClaim(Collection<?> keys, int n);

    /**
     * Lets go of some rows, for the next one who claims. One that somebody keeps locked is passed over and comes back as lost; it
     * stays with the claim until that is closed.
     *
     * @param keys {@link RowKey}s, or the values of a key of one column
     * @throws DibsException if the database cannot be asked
     */
    ClaimResult release(Collection<?> keys);

    /**
     * Lets go of some rows, but nobody gets them before a while has passed.
     *
     * @param keys {@link RowKey}s, or the values of a key of one column
     * @throws IllegalStateException if these claims do not end by time
     * @throws DibsException if the database cannot be asked
     */
    ClaimResult postpone(Collection<?> keys, Duration delay);

    /**
     * Lets go of what is still held. Does nothing the second time, and never throws nor waits: what cannot be released at once
     * is left to the background. A claim that joined the caller's transaction is not released: whether it happened is the
     * caller's to decide.
     */
    @Override
    void close();
}
