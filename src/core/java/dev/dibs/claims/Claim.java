package dev.dibs.claims;

import dev.dibs.DatabaseFailureException;
import dev.dibs.DibsException;
import java.sql.Connection;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.function.Consumer;

/**
 * Rows that are ours until they are completed or released.
 *
 * <p>A claim that ends by time is renewed in the background until it is closed or holds no row any more. A row can still be lost, because no renewal got
 * through or an operator released it by force. {@link #onLost} reports it, and it is no longer {@linkplain #isHeld held}.
 * Completing it changes nothing: the result lists it as lost.
 *
 * <p>Safe for use by any thread.
 *
 * @param <T> the type that a row is mapped to
 */
public interface Claim<T> extends AutoCloseable {

    /** The random token that marks the rows. */
    String token();

    /** The keys of all claimed rows, in order. */
    List<RowKey> keys();

    /**
     * All claimed rows with their keys, in order, as they were when they were claimed.
     *
     * @throws DibsException if the mapper failed for a row; the message names the row
     */
    List<KeyedRow<T>> rows();

    /** Whether nothing was claimed. */
    boolean isEmpty();

    /**
     * Whether the claim has looked at all rows, or has as many as it was asked for. Only with {@link ClaimsBuilder#perKey} and {@link
     * ClaimsBuilder#ranges} it may be false: a claim per key that finds no row for half a second, or a third of its lease if that is
     * shorter, ends before it has passed all keys, and a claim of a range after eleven whose rows were deleted. The next claim of the same {@link RowClaims} goes on there. So a loop ends when a claim {@linkplain #isEmpty is empty} and
     * has searched all. That is the case when all keys have been passed, by this claim or by the ones before, and none had a free row.
     */
    default boolean hasSearchedAll() {
        return true;
    }

    /** How many rows were claimed. */
    int size();

    /**
     * Whether the rows that are still held are certainly ours, by the local clock. A row that another transaction locks for longer
     * than the lease cannot be renewed, and is lost alone.
     */
    boolean isValid();

    /**
     * Whether a row is certainly still ours: not completed, released or lost.
     *
     * @throws IllegalArgumentException if a value cannot be one of its column
     */
    boolean isHeld(RowKey key);

    /**
     * Calls back with the keys of lost rows, on a thread of Dibs. Rows that this claim has completed or released are not lost. It may call several times, with other rows each time. What a
     * callback throws is logged.
     */
    void onLost(Consumer<? super List<RowKey>> callback);

    /**
     * Extends the claim now, for the rows that are still held.
     *
     * @throws IllegalStateException if these claims do not end by time
     * @throws DatabaseFailureException if the request to the database fails
     */
    ClaimResult renew();

    /**
     * Completes all rows that are still held. Those that {@link #complete(Connection, Collection)} has completed are not in the
     * result.
     *
     * @throws DatabaseFailureException if the request to the database fails
     */
    ClaimResult complete();

    /**
     * Completes some rows. One statement applies the effect that {@link ClaimsBuilder} sets and removes the claim's mark. A row
     * that is no longer ours, or that this claim never had, is not changed; the result lists it as lost. Keys are compared exactly,
     * also where the column ignores case: {@link #rows} and {@link #keys} have them.
     *
     * @throws IllegalArgumentException if a value cannot be one of its column; nothing is changed
     * @throws DatabaseFailureException if the request to the database fails. Also if its answer was lost and the claim ended before Dibs could
     *     ask again: then it is unknown whether the rows were completed
     */
    ClaimResult complete(Collection<RowKey> keys);

    /**
     * Completes rows as a part of the caller's transaction. After a rollback they are still ours.
     *
     * <p>The rows are locked until the transaction ends, and cannot be renewed. If that takes longer than the lease, they are no
     * longer {@linkplain #isHeld held}, but {@link #onLost} is not called for them: the commit still completes them, since nobody
     * else can take a locked row. After a rollback others can claim them. The other rows of this claim are renewed as before.
     *
     * <p>Begin the transaction after the claim. Under REPEATABLE READ and SERIALIZABLE, PostgreSQL shows one that began before
     * it the rows without it, and they count as lost: roll back, and complete them in another transaction.
     *
     * @throws IllegalStateException if autocommit is on
     * @throws DatabaseFailureException if the statement fails; roll back
     */
    ClaimResult complete(Connection connection, Collection<RowKey> keys);

    /**
     * Completes all rows that are still held and claims the next ones, in one transaction. Where the database can, it takes one
     * round trip. With {@link ClaimsBuilder#perKey}, it may search for the next rows after the completion is committed. On other
     * databases than PostgreSQL, it then always claims after that.
     *
     * @param n from 1 to {@value RowClaims#LARGEST_CLAIM}
     * @throws DatabaseFailureException if the request to the database fails; if rows are completed nonetheless, the message has their keys
     */
    NextClaim<T> completeAndClaim(int n);

    /**
     * Completes some rows and claims the next ones, as {@link #completeAndClaim(int)} does. The other rows of this claim stay claimed.
     *
     * @param n from 1 to {@value RowClaims#LARGEST_CLAIM}
     * @throws DatabaseFailureException if the request to the database fails; if rows are completed nonetheless, the message has their keys
     */
    NextClaim<T> completeAndClaim(Collection<RowKey> keys, int n);

    /**
     * Releases some rows, so that others can claim them. A row that another transaction has locked is skipped, and the result lists
     * it as lost. It stays with the claim until the claim is closed.
     *
     * @throws DatabaseFailureException if the request to the database fails
     */
    ClaimResult release(Collection<RowKey> keys);

    /**
     * Releases some rows with a delay: nobody can claim them before it has passed.
     *
     * @param delay zero to 36,500 days
     * @throws IllegalArgumentException if the delay is negative or longer
     * @throws IllegalStateException if these claims do not end by time
     * @throws DatabaseFailureException if the request to the database fails
     */
    ClaimResult postpone(Collection<RowKey> keys, Duration delay);

    /**
     * Releases the rows that are still held. A second call does nothing. Never throws and never waits: the background loop releases
     * what cannot be released at once. A claim that joined the caller's transaction is not released: the caller's commit or
     * rollback decides whether it exists.
     */
    @Override
    void close();
}
