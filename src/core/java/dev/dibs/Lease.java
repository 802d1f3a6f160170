package dev.dibs;

import dev.dibs.internal.values.Arguments;
import java.sql.Connection;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * A lock that is held, for as long as it is renewed.
 *
 * <p>Dibs renews a lease in the background until it is closed. If renewals do not get through, the lease ends by time, and another
 * process may take the lock. This object knows before that: {@link #isValid}, {@link #check} and {@link #onLost} tell. A lost lease
 * never becomes valid again. Some effects must be exclusive for certain. Commit them under {@link #guard}. Or store them together
 * with the {@link #fencingToken} in something that refuses a smaller number than it has seen.
 *
 * <p>In two cases the holder cannot know, as {@code docs/reference/safety.md} explains. A lock that was broken by force is noticed at the
 * next renewal. A failover of the database may lose the newest commits.
 *
 * <p>Safe for use by any thread; no thread owns it. An application may implement this interface to test its own code without a
 * database. Dibs itself accepts only leases that it has made.
 */
public interface Lease extends AutoCloseable {

    /** The lock's name. */
    String name();

    /**
     * The number of this acquisition. Every later acquisition of the same name, by any process, has a greater number. For a
     * semaphore that holds for the same {@link Permit#slot slot}. Readers of a {@link ReadWriteLock} share a number. It fits in 53 bits.
     */
    long fencingToken();

    /**
     * A lease was acquired from a holder that had neither renewed nor released its own.
     *
     * @param from the former holder
     * @param stale how long ago its lease had ended, by the database's clock
     */
    record Takeover(LeaseInfo from, Duration stale) {}

    /**
     * The former holder, if the lock was taken over. Empty if the last holder released it, or there was none. Also empty in the
     * rare case that the answer to the acquire was lost and Dibs had to look the lease up.
     */
    Optional<Takeover> takeover();

    /**
     * Whether the lease is certainly still ours. Reads the local clock and does not ask the database. False for good once the lease
     * was lost or closed. False for the moment if the machine may have been suspended and the database was not asked since.
     */
    boolean isValid();

    /** The time that is certainly left without a further renewal; zero if the lease is not {@linkplain #isValid valid}. */
    Duration remaining();

    /**
     * Throws unless the lease is still ours. Costs no round trip, except after the machine may have been suspended: then it asks
     * the database.
     *
     * @throws LeaseLostException if it is lost
     * @throws IllegalStateException if it was closed
     * @throws DatabaseFailureException if the database had to be asked and the request failed
     */
    void check();

    /**
     * Calls back once when the lease is lost, or when its {@link Dibs} is closed while it is held, on a thread of Dibs. Calls back
     * at once if that has happened already, and never if the lease was closed before. Callbacks of several leases may run at the
     * same time, on few threads: be short. Exceptions of a callback are logged.
     */
    void onLost(Consumer<? super LeaseLostException> callback);

    /**
     * Makes the caller's transaction exclusive up to its commit. It locks the lock's row, so that nobody can take the lock over
     * before the transaction ends, however long that takes. Write by the same connection: others are not guarded. Inside of
     * Spring's {@code @Transactional} and {@code TransactionTemplate} that is {@code DataSourceUtils.getConnection(dataSource)}.
     *
     * <p>Call it as the first statement of the transaction and outside of any savepoint. A rollback to a savepoint drops the row
     * lock. A snapshot that is older than the lease would show data from before the lease. If another transaction has the row
     * locked, the call waits as long as the database allows. The transaction should take less than two thirds of the lease. A
     * longer one is still exclusive, but keeps the name busy while it is open. On databases where a renewal cannot pass the row
     * lock (all but PostgreSQL) the lease counts as lost after it.
     *
     * @param connection the caller's, to the same database, with autocommit off
     * @throws LeaseLostException if the lease is lost; roll back
     * @throws IllegalStateException if autocommit is on (the row lock would end with the statement), or the lease is closed
     * @throws DatabaseFailureException if the statement failed; roll back
     */
    void guard(Connection connection);

    /**
     * Runs work in a transaction that is exclusive up to its commit. It takes a connection, {@linkplain #guard guards}, runs the
     * work and commits. It rolls back if anything is thrown. The work must use the connection that it is given; that connection
     * {@linkplain TransactionWork refuses} to be committed, rolled back or closed. A framework's own transaction is another one:
     * inside of it, call {@link #guard} instead.
     *
     * @param dataSource a data source of the same database that does not bind its connections to a running transaction
     * @throws X whatever the work throws; the transaction is rolled back
     * @throws LeaseLostException if the lease is lost; the work did not run
     * @throws NotAcquiredException if the thread is interrupted while it waits for a connection; the work did not run, and its
     *     interrupt flag is set
     * @throws IllegalStateException if the lease is closed; or if this thread already runs such work of the same lease, because the
     *     second transaction would wait for the first one for ever; or if the data source returned a connection whose transaction is
     *     running: that is not ended; or if the work ended its transaction by the driver's own connection
     * @throws DatabaseFailureException if the connection, the guard or the commit failed; or if a statement or an error of the
     *     work has ended the transaction. The message tells what may be committed
     */
    default <X extends Exception> void inTransaction(DataSource dataSource, TransactionWork<X> work) throws X {
        Arguments.required("work", work);
        boolean unused = this.<Boolean, X>callInTransaction(dataSource, transaction -> {
            work.run(transaction);
            return true;
        });
    }

    /**
     * Like {@link #inTransaction}, for work that has a value.
     *
     * @return the value of the work, which is committed
     * @throws X whatever the work throws; the transaction is rolled back
     * @throws LeaseLostException as for {@link #inTransaction}
     * @throws IllegalStateException as for {@link #inTransaction}
     * @throws DatabaseFailureException as for {@link #inTransaction}
     */
    @SuppressWarnings("exports")
    <T extends @Nullable Object, X extends Exception> T callInTransaction(
            DataSource dataSource, TransactionCall<T, X> work) throws X;

    /**
     * Releases the lock as {@link #close} does, and tells whether it was still ours. A second call gives the same answer.
     *
     * @return false if it had been lost or broken before, or its {@link Dibs} was closed. True otherwise, also if its row is locked
     *     at that moment, as by an open guarded transaction: then the background loop releases it
     * @throws DatabaseFailureException if the database did not answer. The lease is closed all the same; the background loop goes on
     *     to release it, and if that fails, it ends by time
     */
    boolean release();

    /**
     * Releases the lock, so that the next caller can have it at once. Idempotent: a second call waits for a first one that is still
     * running, and changes nothing. Never waits for a row lock and never throws. Inside an open guarded transaction, or when the
     * database cannot be reached, the background loop releases it. If that fails too, the lease ends by time. On MariaDB and MySQL the
     * background loop also releases it, rarely and after some milliseconds, if others try to get the lock at that instant. If the
     * release finds that the lock was broken, that is logged, and {@link DibsListener#lost} is called. To get an answer use
     * {@link #release}; to get an exception use {@code run} or {@code tryRun}.
     */
    @Override
    void close();
}
