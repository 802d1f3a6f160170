package dev.dibs.internal.lease;

import dev.dibs.DatabaseFailureException;
import dev.dibs.Lease;
import dev.dibs.NotAcquiredException;
import dev.dibs.TransactionCall;
import dev.dibs.internal.sql.call.Database;
import dev.dibs.internal.sql.connect.Connections;
import dev.dibs.internal.sql.errors.Secrets;
import dev.dibs.internal.sql.errors.SqlErrors.Asked;
import dev.dibs.internal.sql.errors.SqlFailure.Outcome;
import dev.dibs.internal.time.HeldInterrupt;
import dev.dibs.internal.values.Arguments;
import dev.dibs.internal.values.Strings;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Transactions from their guard to their commit. The work's own exceptions pass through unchanged. */
public final class GuardedTransactions {

    private static final System.Logger LOG = System.getLogger("dev.dibs");
    private static final String ENDS = "inTransaction commits when the work returns, and rolls back when it throws";

    /** A thread that is in a transaction of a lease, or in one that has the lock of this name. */
    private record Running(Object lock, Thread thread) {}

    private final FreeConnections connections;
    private final Database database;
    private final Set<Running> running = ConcurrentHashMap.newKeySet();
    private final AtomicBoolean warned = new AtomicBoolean();

    public GuardedTransactions(FreeConnections connections, Database database) {
        this.connections = connections;
        this.database = database;
    }

    <T extends @Nullable Object, X extends Exception> T call(
            Lease lease, DataSource dataSource, TransactionCall<T, X> work) throws X {
        Arguments.required("data source", dataSource);
        Arguments.required("work", work);
        Object here = enter(lease, lease.name());
        try (GuardedTransaction own = begin(lease.name(), dataSource)) {
            lease.guard(own.connection());
            return call(lease.name(), own, work);
        } finally {
            leave(here);
        }
    }

    /**
     * Before a transaction of this thread.
     *
     * @param lock the lease, or the name of a lock without one
     * @return what leaves it
     * @throws IllegalStateException if this thread is in such a transaction, for whose end another one would wait
     */
    public Object enter(Object lock, String name) {
        Running here = new Running(lock, Thread.currentThread());
        if (!running.add(here)) {
            throw new IllegalStateException("this thread is inside of a guarded transaction on '" + name
                    + "' already: use the connection of that one");
        }
        return here;
    }

    public void leave(Object entered) {
        running.remove(entered);
    }

    /** Begins a transaction of Dibs. */
    public GuardedTransaction begin(String name, DataSource dataSource) {
        Connection connection = null;
        // An interrupted thread gets no connection from a pool.
        try (HeldInterrupt unused = new HeldInterrupt()) {
            connection = connections.get(dataSource, "inTransaction on '" + name + "'");
            return GuardedTransaction.begin(connection);
        } catch (SQLException e) {
            if (connection == null && Connections.isInterrupt(e)) {
                Thread.currentThread().interrupt();
                throw new NotAcquiredException(
                        name,
                        null,
                        transaction(name) + " was interrupted before it got a connection; nothing was done");
            }
            String what = connection == null ? "got no connection" : "could not begin";
            throw failed(name, what + "; nothing was done", e);
        }
    }

    /** Runs the work in a transaction whose guard is its first statement, and commits. */
    public <T extends @Nullable Object, X extends Exception> T call(
            String name, GuardedTransaction own, TransactionCall<T, X> work) throws X {
        LentConnection lent = own.lend(new LentConnection(own.connection(), true, ENDS, "under the guard", database));
        T value = work.call(lent.get());
        commit(name, own.connection(), lent);
        own.committed();
        return value;
    }

    private void commit(String name, Connection connection, LentConnection lent) {
        try {
            lent.requireCommittable(transaction(name));
            connection.commit();
        } catch (SQLException e) {
            Outcome outcome = database.errors()
                    .sent("commit", e, Asked.COMMIT, () -> false)
                    .outcome();
            throw failed(
                    name,
                    outcome == Outcome.UNKNOWN
                            ? "failed at its commit, and may have happened; look in your tables"
                            : "was rolled back by the database at its commit; nothing was committed",
                    e);
        }
        if (!lent.isUsed() && warned.compareAndSet(false, true)) {
            LOG.log(
                    Level.WARNING,
                    "The work of inTransaction on '" + Strings.oneLine(name)
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
