package dev.dibs.internal.guarded;

import dev.dibs.NotAcquiredException;
import dev.dibs.internal.sql.call.Database;
import dev.dibs.internal.sql.connect.Connections;
import dev.dibs.internal.time.HeldInterrupt;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.sql.DataSource;

/** Begins the guarded transactions of one instance, and knows which thread is in one. Safe for use by any thread. */
public final class GuardedTransactions {

    /** A thread that is in a transaction of a lease, or in one that has the lock of this name. */
    record Running(Object lock, Thread thread) {}

    final Database database;
    /** Whether the warning about an unused connection has come. */
    final AtomicBoolean warned = new AtomicBoolean();

    private final DataSource ofRuns;
    private final FreeConnections connections;
    final Set<Running> running = ConcurrentHashMap.newKeySet();

    /**
     * For one instance.
     *
     * @param ofRuns whose connections the transactions of a run get
     * @param ownThreads threads to which no transaction is bound
     */
    public GuardedTransactions(Database database, DataSource ofRuns, Executor ownThreads) {
        this.database = database;
        this.ofRuns = ofRuns;
        this.connections = new FreeConnections(ownThreads, database::hasTransaction);
    }

    /** Begins one that is guarded by the completion of its row. */
    public GuardedTransaction beginForRow() throws SQLException {
        return new GuardedTransaction(ofRuns.getConnection(), Guard.ROW, this, null);
    }

    /**
     * Begins one that is guarded by its first statement, which is the caller's.
     *
     * @param lock the lease, or the name of a lock without one
     * @throws IllegalStateException if this thread is in such a transaction, for whose end another one would wait
     */
    public GuardedTransaction begin(Object lock, String name, DataSource dataSource) {
        Running here = new Running(lock, Thread.currentThread());
        if (!running.add(here)) {
            throw new IllegalStateException("this thread is inside of a guarded transaction on '" + name
                    + "' already: use the connection of that one");
        }
        Guard guard = new Guard(name);
        Connection connection = null;
        GuardedTransaction begun = null;
        // An interrupted thread gets no connection from a pool.
        try (HeldInterrupt unused = new HeldInterrupt()) {
            connection = connections.get(dataSource, name);
            begun = new GuardedTransaction(connection, guard, this, here);
            return begun;
        } catch (SQLException e) {
            if (connection == null && Connections.isInterrupt(e)) {
                Thread.currentThread().interrupt();
                throw new NotAcquiredException(
                        name,
                        null,
                        guard.transaction() + " was interrupted before it got a connection; nothing was done");
            }
            String how = connection == null ? "got no connection" : "could not begin";
            throw guard.failed(how + "; nothing was done", e);
        } finally {
            if (begun == null) {
                running.remove(here);
            }
        }
    }
}
