package dev.dibs;

import dev.dibs.internal.values.Arguments;
import dev.dibs.internal.values.CheckReturnValue;
import java.sql.Connection;
import java.time.Duration;
import java.util.Optional;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * A lock by name: at most one holder at a time, over all processes that use the same table.
 *
 * <p>Made by {@link Dibs#lock}. Not reentrant: it belongs to the {@link Lease}, not to a thread. A holder that asks again finds it
 * busy, as any other caller does.
 */
public interface NamedLock extends Acquirable<Lease> {

    @Override
    @CheckReturnValue
    NamedLock leaseLength(Duration lease);

    /**
     * The same lock, first come, first served, over all processes. A waiter keeps its place in a queue. A caller that comes later
     * waits behind it, even if the lock is free at that moment. Of two callers that come within a few milliseconds either may be
     * first.
     *
     * <p>The place of a process that has vanished is kept for the length of a lease, 10 seconds at most. Only callers of the fair
     * lock keep the order: a caller of the plain lock may overtake them. Each acquire costs one more statement, each wait at least
     * two more. A released lock stays idle until the next waiter asks.
     */
    @CheckReturnValue
    NamedLock fair();

    /**
     * The same lock, which stays busy for a minimum time, counted from its acquisition. If it is released earlier, or its holder
     * dies, nobody gets it before that time has passed. So a short job does not run twice if several machines start it by clocks
     * that differ by seconds. After an early release the lock is busy without a holder.
     *
     * @param hold from zero, for a lock that is free when it is released, to one day
     * @throws IllegalArgumentException if it is outside these bounds
     */
    @CheckReturnValue
    NamedLock holdAtLeast(Duration hold);

    /**
     * The same lock with leases that Dibs does not renew. Such a lease ends after that time, also while its process lives, unless the
     * holder {@linkplain TimedLease#extend extends} it. It is for work that must not keep a lock for longer, and for code that renews
     * leases itself. Everything else is as with other leases. Call {@link #fair} and {@link #holdAtLeast} before.
     *
     * @param lease from 50 milliseconds to one day. The holder relies on 20 milliseconds less, or 1 percent
     * @throws IllegalArgumentException if it is outside these bounds
     */
    @CheckReturnValue
    Acquirable<TimedLease> atMost(Duration lease);

    /**
     * The same lock for code that expects a {@link java.util.concurrent.locks.Lock}. It belongs to a thread. That thread may lock it again, and must unlock it
     * as often. Other threads are kept out as other processes are. Each call returns a new object, which knows only the threads
     * that locked it. So keep one object and share it.
     *
     * <p>{@code lock} waits without a limit, also while the connection fails. {@code unlock} throws {@link LeaseLostException} if
     * the lease was lost, so that another holder may have worked at the same time; even then the thread has unlocked.
     * {@code lock} under a lost lease throws it, too. {@code unlock} by a thread without the lock throws {@link
     * IllegalMonitorStateException}. {@code newCondition} throws {@link UnsupportedOperationException}. A failure of the database
     * is a {@link DatabaseFailureException}.
     */
    ThreadLock asLock();

    /**
     * Runs work in a transaction that has this lock from its first statement to its commit. Meanwhile nobody else can have the lock, by
     * a lease or by such a transaction. One statement replaces an acquire, a guard and a release. Use it for work that is one short
     * transaction in the same database.
     *
     * <p>Begins a transaction on a connection of the data source, locks, runs the work and commits, or rolls back if the work throws.
     * The connection is as for {@link Lease#inTransaction}. There is no fencing token, no renewal and no {@code onLost}: the database
     * frees the lock when the transaction or the session ends. {@link Admin#breakLock} does not free it.
     *
     * @param dataSource of the same database as this Dibs
     * @throws NotAcquiredException if the lock is busy; the work did not run
     * @throws X whatever the work throws; the transaction is rolled back
     * @throws IllegalStateException as for {@link Lease#inTransaction}. Or if this thread is in such a transaction of this lock. Or if
     *     the lock is {@link #fair} or {@linkplain #holdAtLeast held back}, which needs a lease. Or if the transaction might see a time
     *     before it got the lock: on PostgreSQL and H2 if it is not READ COMMITTED, on SQL Server under SNAPSHOT
     * @throws DatabaseFailureException as for {@link Lease#inTransaction}
     */
    default <X extends Exception> void inTransaction(DataSource dataSource, TransactionWork<X> work) throws X {
        inTransaction(dataSource, Duration.ZERO, work);
    }

    /**
     * The same, with a wait for the lock, which holds no connection.
     *
     * @param wait from zero
     * @throws NotAcquiredException if the lock is still busy, or the thread is interrupted while it waits
     */
    default <X extends Exception> void inTransaction(DataSource dataSource, Duration wait, TransactionWork<X> work)
            throws X {
        Arguments.required("work", work);
        boolean unused = this.<Boolean, X>callInTransaction(dataSource, wait, transaction -> {
            work.run(transaction);
            return true;
        });
    }

    /** Like {@link #inTransaction(DataSource, TransactionWork)}. Returns false if the lock is busy; then the work did not run. */
    default <X extends Exception> boolean tryInTransaction(DataSource dataSource, TransactionWork<X> work) throws X {
        return tryInTransaction(dataSource, Duration.ZERO, work);
    }

    /**
     * The same, with a wait for the lock. Returns false if it is still busy.
     *
     * @param wait from zero
     * @throws NotAcquiredException if the thread is interrupted while it waits
     */
    default <X extends Exception> boolean tryInTransaction(
            DataSource dataSource, Duration wait, TransactionWork<X> work) throws X {
        Arguments.required("work", work);
        return this.<Boolean, X>tryCallInTransaction(dataSource, wait, transaction -> {
                    work.run(transaction);
                    return true;
                })
                .isPresent();
    }

    /**
     * Like {@link #inTransaction(DataSource, Duration, TransactionWork)}, for work that has a value.
     *
     * @return the value of the work, which is committed
     */
    @SuppressWarnings("exports")
    <T extends @Nullable Object, X extends Exception> T callInTransaction(
            DataSource dataSource, Duration wait, TransactionCall<T, X> work) throws X;

    /**
     * Like {@link #tryInTransaction(DataSource, Duration, TransactionWork)}, for work that has a value, which is not null.
     *
     * @return the value, which is committed; empty if the lock is busy
     */
    <T, X extends Exception> Optional<T> tryCallInTransaction(
            DataSource dataSource, Duration wait, TransactionCall<T, X> work) throws X;

    /**
     * The step before {@link #tryGuard}: waits until the lock looks free, and adds the row of a new name. Call it before the transaction
     * takes its connection.
     *
     * <p>Each look takes a connection of Dibs for one statement, and the wait between two looks holds none. The answer promises nothing:
     * another caller may get the lock before you do. A name that was free costs nothing for a minute, on MySQL and MariaDB one look.
     *
     * <pre>{@code
     * while (lock.awaitFree(Duration.ofSeconds(5))) {
     *     try (Connection transaction = pool.getConnection()) {
     *         transaction.setAutoCommit(false);
     *         if (lock.tryGuard(transaction)) {
     *             sell(transaction);
     *             transaction.commit();
     *             return true;
     *         }
     *         transaction.rollback();   // another caller was faster
     *     }
     * }
     * return false;
     * }</pre>
     *
     * @param wait from zero, for one look
     * @return false if the lock was busy for the whole wait
     * @throws NotAcquiredException if the thread is interrupted while it waits
     * @throws IllegalArgumentException if the wait is negative
     * @throws IllegalStateException if the lock is {@link #fair} or {@linkplain #holdAtLeast held back}, which needs a lease
     * @throws DatabaseFailureException if the database failed
     */
    boolean awaitFree(Duration wait);

    /**
     * Locks for a transaction that the caller has begun, up to its end. Call {@link #awaitFree} before the transaction, and this as its first
     * statement, outside of any savepoint: a rollback to an earlier savepoint drops the lock. It uses this connection alone.
     *
     * @param transaction with autocommit off, to the same database as this Dibs
     * @return false if the lock is busy, or its row was purged just now: end this transaction, and begin with {@code awaitFree} again. On
     *     some databases it may have locked the row of the holder, who then cannot renew
     * @throws IllegalStateException if autocommit is on, or as for {@link #inTransaction(DataSource, TransactionWork)}: roll back. If the
     *     name has no row, because {@code awaitFree} was not called; on MySQL and MariaDB that is false, since it cannot be known there.
     *     Or, on MySQL and MariaDB, if an earlier statement has begun the transaction
     * @throws DatabaseFailureException if the database failed: roll back
     */
    boolean tryGuard(Connection transaction);
}
