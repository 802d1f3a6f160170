package dev.dibs;

import java.sql.Connection;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;
import javax.sql.DataSource;

/**
 * A lock that is held, for as long as it is renewed.
 *
 * <p>Dibs renews it in the background until it is closed. If renewals do not get through, the lease passes by itself and
 * somebody else may take the lock; this object knows before that ({@link #isValid}, {@link #check}, {@link #onLost}) and a
 * lost lease is lost for ever. What must be exclusive for certain is committed under {@link #guard}, or stored together with
 * {@link #fencingToken} by something that refuses smaller numbers than it has seen.
 *
 * <p>Two cases are beyond the holder's knowledge, as {@code docs/safety.md} explains: a lock that was broken by force is
 * noticed at the next renewal, and a database failover may lose the newest commits.
 *
 * <p>Safe for use by any thread; belongs to none. An application may implement it to test its own code without a database; Dibs itself takes back
 * only what it has handed out.
 */
public interface Lease extends AutoCloseable {

    /** The lock's name. */
    String name();

    /**
     * The number of this acquisition. Every later acquisition of the same name, by anybody, has a greater one; of a semaphore,
     * every later one of the same {@link #slot}; but readers of a {@link ReadWriteLock} share one. It fits in 53 bits.
     */
    long fencingToken();

    /**
     * Which of a semaphore's permits this is: from 0 to one below their number, and nobody else's at the same time. Good for
     * sharing work out. 0 for what is no permit.
     */
    int slot();

    /**
     * From whom the lock was taken over; empty if its last holder had released it, or there was none. Empty too in the rare
     * case that the answer to the acquire was lost and the lease had to be looked up.
     */
    Optional<Takeover> takeover();

    /**
     * Whether the lease is certainly still ours. Asks the local clock and not the database. False for good once it was lost
     * or closed; false for the moment while the machine may have been suspended and the database was not asked since.
     */
    boolean isValid();

    /**
     * How much of the lease is certainly left, without a further renewal; zero if it is not {@linkplain #isValid valid}.
     */
    Duration remaining();

    /**
     * Goes on only if the lease is still ours. Costs no round trip, except after the machine may have been suspended: then it
     * asks the database.
     *
     * @throws LeaseLostException if it is lost
     * @throws IllegalStateException if it was closed
     * @throws DibsException if the database had to be asked and could not be
     */
    void check();

    /**
     * Calls back once when the lease is lost, or its {@link Dibs} is closed under it, on a thread of Dibs; at once if that has
     * happened; never if it is closed before. Callbacks of several leases may run at the same time, on few threads: be short.
     * What a callback throws is logged.
     */
    void onLost(Consumer<? super LeaseLostException> callback);

    /**
     * Makes the caller's transaction exclusive up to its commit: locks the lock's row, so that nobody can take the lock over
     * before the transaction ends, however long that takes.
     *
     * <p>Must be the first statement of the transaction and outside of any savepoint: a rollback to a savepoint drops the row
     * lock, and a snapshot that is older than the lease would show the predecessor's past. It may wait for a moment, as long as
     * the database lets it, if somebody else has the row locked. The transaction should take less
     * than two thirds of the lease; one that takes longer is still exclusive, but holds the name for as long as it is open, and on
     * databases where a renewal cannot pass the row lock (all but PostgreSQL) the lease counts as lost after it.
     *
     * @param connection the caller's, to the same database, with autocommit off
     * @throws LeaseLostException if the lease is lost; roll back
     * @throws IllegalStateException if autocommit is on (the row lock would end with the statement), or the lease is closed
     * @throws DibsException if the statement failed; roll back
     */
    void guard(Connection connection);

    /**
     * Runs work in a transaction that is exclusive up to its commit: takes a connection, {@linkplain #guard guards}, runs,
     * commits; rolls back if anything is thrown.
     *
     * @param dataSource a data source of the same database that does not bind its connections to a running transaction
     * @throws X whatever the work throws; the transaction is rolled back
     * @throws LeaseLostException if the lease is lost; the work did not run
     * @throws IllegalStateException if the lease is closed, or this thread is inside of such work of the same lease: the second
     *     transaction would wait for the first one, which waits for it
     * @throws DibsException if the connection, the guard or the commit failed
     */
    <X extends Exception> void inTransaction(DataSource dataSource, TransactionWork<X> work) throws X;

    /**
     * Releases the lock, so that the next one can have it at once. Does nothing the second time. Never waits for a row lock
     * and never throws: inside an open guarded transaction, or when the database cannot be reached, the release is handed to
     * the background; if nothing helps, the lease ends by time. On MariaDB and MySQL that is also done, rarely and for some milliseconds, if
     * others try to get the lock at that instant. If the release finds that somebody has broken the lock, that is logged,
     * and {@link DibsListener#lost} is called. To get an exception for it use {@code run} or {@code tryRun}.
     */
    @Override
    void close();
}
