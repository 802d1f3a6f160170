package dev.dibs.internal.sql.run;

import dev.dibs.internal.sql.errors.SqlErrors;
import dev.dibs.internal.sql.errors.SqlFailure;
import dev.dibs.internal.sql.run.Connections.Work;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.time.Duration;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * Sets a connection up for one statement of ours, and restores it.
 *
 * <p>It reads a setting first, and changes it only if it differs: with some drivers a change is a round trip. A setting that cannot be
 * restored never turns a success into a failure: the pool finds out by itself.
 */
final class Settings {

    private static final Executor SAME_THREAD = Runnable::run;

    private final boolean readCommitted;
    private final @Nullable LockWait lockWait;
    private final SqlErrors errors;
    private volatile boolean networkTimeouts = true;
    private volatile boolean tried;
    private volatile boolean mayHang;

    /**
     * For one dialect.
     *
     * @param readCommitted whether its statements are refused under any other isolation
     * @param lockWait limits the wait for locks; null where the database's own limit is short enough
     * @param errors the meaning of its database's errors
     */
    Settings(boolean readCommitted, @Nullable LockWait lockWait, SqlErrors errors) {
        this.readCommitted = readCommitted;
        this.lockWait = lockWait;
        this.errors = errors;
    }

    /**
     * Runs work on a connection that is set up for it.
     *
     * @param inTransaction whether the work is one transaction; else each of its statements is one
     */
    <T> T with(Connection connection, String statement, Duration timeout, boolean inTransaction, Work<T> work)
            throws SqlFailure {
        boolean autoCommit = true;
        int isolation = Connection.TRANSACTION_NONE;
        int network = -1;
        long wait = LockWait.AS_IT_IS;
        try {
            try {
                autoCommit = connection.getAutoCommit();
                if (!autoCommit) {
                    connection.setAutoCommit(true);
                }
                isolation = toReadCommitted(connection);
                network = toNetworkTimeout(connection, timeout);
                wait = lockWait == null ? LockWait.AS_IT_IS : lockWait.limit(connection, timeout);
            } catch (SQLException e) {
                throw errors.notSent(statement, e);
            }
            try {
                return inTransaction ? transact(connection, work) : work.run(connection);
            } catch (SQLException | RuntimeException e) {
                throw errors.sent(statement, e);
            }
        } finally {
            restore(connection, autoCommit, isolation, network, wait);
        }
    }

    /** Runs work in a transaction. A failure leaves nothing behind: if the rollback fails, the connection is ended. */
    static <T> T transact(Connection connection, Work<T> work) throws SQLException {
        connection.setAutoCommit(false);
        boolean committed = false;
        try {
            T result = work.run(connection);
            connection.commit();
            committed = true;
            return result;
        } finally {
            TransactionEnd.of(connection, committed, true);
        }
    }

    /** Asked only for dialects that need it: with several drivers the question itself is a round trip. */
    private int toReadCommitted(Connection connection) throws SQLException {
        if (!readCommitted) {
            return Connection.TRANSACTION_NONE;
        }
        int isolation = connection.getTransactionIsolation();
        if (isolation == Connection.TRANSACTION_READ_COMMITTED) {
            return Connection.TRANSACTION_NONE;
        }
        connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
        return isolation;
    }

    /** Returns the value to restore, or -1 for nothing to restore. */
    private int toNetworkTimeout(Connection connection, Duration timeout) throws SQLException {
        if (!networkTimeouts) {
            mayHang = isRemote(connection);
            return -1;
        }
        try {
            int before = connection.getNetworkTimeout();
            int wanted = (int) Math.min(Integer.MAX_VALUE, Math.max(1, timeout.toMillis()));
            if (before > 0 && before <= wanted) {
                return -1;
            }
            connection.setNetworkTimeout(SAME_THREAD, wanted);
            if (!tried) {
                tried = true;
                if (connection.getNetworkTimeout() == 0) {
                    return without(connection);
                }
            }
            return before;
        } catch (SQLFeatureNotSupportedException | AbstractMethodError e) {
            return without(connection);
        }
    }

    /** The driver has no network timeouts: only a caller that waits on another thread can give up. */
    private int without(Connection connection) throws SQLException {
        networkTimeouts = false;
        mayHang = isRemote(connection);
        return -1;
    }

    /** An AUTO_SERVER of H2 has the URL of a file. Only its client info shows whether this process hosts it, which may change. */
    private static boolean isRemote(Connection connection) throws SQLException {
        String url = connection.getMetaData().getURL();
        if (url == null || !url.startsWith("jdbc:h2:")) {
            return url != null && url.contains("://");
        }
        return !"0".equals(connection.getClientInfo("numServers"));
    }

    /** Whether a statement may hang for ever here: its answer comes over a network, and its driver does not end the wait. */
    boolean mayHang() {
        return mayHang;
    }

    private void restore(Connection connection, boolean autoCommit, int isolation, int network, long wait) {
        TransactionEnd.quietly("restore a connection", () -> {
            if (connection.isClosed()) {
                return;
            }
            if (lockWait != null) {
                lockWait.restore(connection, wait);
            }
            if (network >= 0) {
                connection.setNetworkTimeout(SAME_THREAD, network);
            }
            if (isolation != Connection.TRANSACTION_NONE) {
                connection.setTransactionIsolation(isolation);
            }
            if (!autoCommit) {
                connection.setAutoCommit(false);
            }
        });
    }
}
