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
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Transactions from their guard to their commit. The work's own exceptions pass through unchanged. */
final class GuardedTransactions {

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
        Connection connection = open(lease, dataSource);
        try {
            boolean autoCommit = begin(lease, connection);
            boolean ended = false;
            try {
                lease.guard(connection);
                LentConnection lent = new LentConnection(connection, ENDS, "under the guard", database);
                T value = work.call(lent.get());
                commit(lease, connection, lent);
                ended = true;
                return value;
            } finally {
                ConnectionCleanup.of(connection, ended, autoCommit);
            }
        } finally {
            ConnectionCleanup.quietly("return a connection", connection::close);
        }
    }

    private Connection open(Lease lease, DataSource dataSource) {
        try {
            return connections.get(dataSource, "inTransaction on '" + lease.name() + "'");
        } catch (SQLException e) {
            throw failed(lease, "got no connection; nothing was done", e);
        }
    }

    /** Returns whether autocommit was on. */
    private static boolean begin(Lease lease, Connection connection) {
        try {
            boolean autoCommit = connection.getAutoCommit();
            connection.setAutoCommit(false);
            return autoCommit;
        } catch (SQLException e) {
            throw failed(lease, "could not begin; nothing was done", e);
        }
    }

    private void commit(Lease lease, Connection connection, LentConnection lent) {
        try {
            lent.requireCommittable(transaction(lease));
            connection.commit();
        } catch (SQLException e) {
            throw failed(
                    lease,
                    database.errors().sent("commit", e).outcome() == Outcome.UNKNOWN
                            ? "got no answer to its commit; look in your tables whether it happened"
                            : "was rolled back by the database at its commit; nothing was committed",
                    e);
        }
        if (!lent.isUsed() && warned.compareAndSet(false, true)) {
            LOG.log(
                    Level.WARNING,
                    "The work of inTransaction on '" + Texts.oneLine(lease.name())
                            + "' has not used its connection. What it"
                            + " wrote by another one, such as that of a JdbcTemplate, is neither guarded nor rolled back:"
                            + " use the connection that the work is given. (This warning comes once.)");
        }
    }

    private static String transaction(Lease lease) {
        return "the guarded transaction on '" + lease.name() + "'";
    }

    private static DatabaseFailureException failed(Lease lease, String what, SQLException e) {
        return new DatabaseFailureException(transaction(lease) + " " + what + ": " + Secrets.masked(e), e);
    }
}
