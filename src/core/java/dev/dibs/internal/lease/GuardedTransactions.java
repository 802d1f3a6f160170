package dev.dibs.internal.lease;

import dev.dibs.DatabaseFailureException;
import dev.dibs.Lease;
import dev.dibs.TransactionCall;
import dev.dibs.internal.sql.errors.Secrets;
import dev.dibs.internal.sql.errors.SqlFailure.Outcome;
import dev.dibs.internal.sql.run.ConnectionCleanup;
import dev.dibs.internal.sql.run.Database;
import dev.dibs.internal.transaction.FreeConnections;
import dev.dibs.internal.transaction.LentConnection;
import dev.dibs.internal.values.Arguments;
import dev.dibs.internal.values.Texts;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Transactions from their guard to their commit. The work's own exceptions pass through unchanged. */
public final class GuardedTransactions {

    private static final System.Logger LOG = System.getLogger("dev.dibs");
    private static final String ENDS = "inTransaction commits when the work returns, and rolls back when it throws";

    /** A thread that is in a transaction of a lease. */
    private record Running(Lease lease, Thread thread) {}

    private final FreeConnections connections;
    private final Database database;
    private final Set<Running> running = ConcurrentHashMap.newKeySet();
    private final AtomicBoolean warned = new AtomicBoolean();

    GuardedTransactions(FreeConnections connections, Database database) {
        this.connections = connections;
        this.database = database;
    }

    <T extends @Nullable Object, X extends Exception> T call(
            Lease lease, DataSource dataSource, TransactionCall<T, X> work) throws X {
        Arguments.required("data source", dataSource);
        Arguments.required("work", work);
        Running here = new Running(lease, Thread.currentThread());
        if (!running.add(here)) {
            throw new IllegalStateException("this thread is inside of a guarded transaction on '" + lease.name()
                    + "' already: use the connection of that one");
        }
        try {
            return transact(lease, dataSource, work);
        } finally {
            running.remove(here);
        }
    }

    private <T extends @Nullable Object, X extends Exception> T transact(
            Lease lease, DataSource dataSource, TransactionCall<T, X> work) throws X {
        try (Begun begun = begin(lease.name(), dataSource)) {
            lease.guard(begun.connection);
            return call(lease.name(), begun, work);
        }
    }

    /** A transaction that has begun. It is rolled back when it is closed, unless it was committed. */
    public static final class Begun implements AutoCloseable {

        private final Connection connection;
        private final boolean autoCommit;
        private boolean committed;

        private Begun(Connection connection) throws SQLException {
            this.connection = connection;
            this.autoCommit = connection.getAutoCommit();
            connection.setAutoCommit(false);
        }

        public Connection connection() {
            return connection;
        }

        @Override
        public void close() {
            try {
                ConnectionCleanup.of(connection, committed, autoCommit);
            } finally {
                ConnectionCleanup.quietly("return a connection", connection::close);
            }
        }
    }

    /** Asks on a connection of Dibs, while a transaction may be bound to this thread. */
    public <T extends @Nullable Object> T elsewhere(Supplier<T> question) {
        return connections.elsewhere(question);
    }

    /** Begins a transaction of Dibs. */
    public Begun begin(String name, DataSource dataSource) {
        // An interrupted thread gets no connection from a pool.
        boolean interrupted = Thread.interrupted();
        Connection connection = null;
        Begun begun = null;
        try {
            connection = connections.get(dataSource, "inTransaction on '" + name + "'");
            begun = new Begun(connection);
            return begun;
        } catch (SQLException e) {
            throw failed(
                    name, (connection == null ? "got no connection" : "could not begin") + "; nothing was done", e);
        } finally {
            if (begun == null && connection != null) {
                ConnectionCleanup.quietly("return a connection", connection::close);
            }
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Runs the work in a transaction whose guard is its first statement, and commits. */
    public <T extends @Nullable Object, X extends Exception> T call(
            String name, Begun begun, TransactionCall<T, X> work) throws X {
        LentConnection lent = new LentConnection(begun.connection, ENDS, "under the guard", database);
        T value = work.call(lent.get());
        commit(name, begun.connection, lent);
        begun.committed = true;
        return value;
    }

    private void commit(String name, Connection connection, LentConnection lent) {
        try {
            lent.requireCommittable(transaction(name));
            connection.commit();
        } catch (SQLException e) {
            throw failed(
                    name,
                    database.errors().sent("commit", e).outcome() == Outcome.UNKNOWN
                            ? "got no answer to its commit; look in your tables whether it happened"
                            : "was rolled back by the database at its commit; nothing was committed",
                    e);
        }
        if (!lent.isUsed() && warned.compareAndSet(false, true)) {
            LOG.log(
                    Level.WARNING,
                    "The work of inTransaction on '" + Texts.oneLine(name)
                            + "' has not used its connection. What it"
                            + " wrote by another one, such as that of a JdbcTemplate, is neither guarded nor rolled back:"
                            + " use the connection that the work is given. (This warning comes once.)");
        }
    }

    private static String transaction(String name) {
        return "the guarded transaction on '" + name + "'";
    }

    private static DatabaseFailureException failed(String name, String what, SQLException e) {
        return new DatabaseFailureException(transaction(name) + " " + what + ": " + Secrets.masked(e), e);
    }
}
