package dev.dibs.internal.sql.connect;

import dev.dibs.internal.sql.connect.Connections.Work;
import dev.dibs.internal.sql.errors.CommitFailure;
import dev.dibs.internal.sql.files.Features;
import dev.dibs.internal.sql.files.Features.LocksMoreFrom;
import dev.dibs.internal.sql.files.Statements;
import dev.dibs.internal.time.HeldInterrupt;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Sets a connection up for one statement of ours, and restores it.
 *
 * <p>It reads a setting first, and changes it only if it differs: with some drivers a change is a round trip. A setting that cannot be
 * restored never turns a success into a failure: the pool finds out by itself.
 */
public final class Settings {

    private static final Executor SAME_THREAD = Runnable::run;
    private static final String NEXT_READ_COMMITTED = "next_read_committed";

    /** The urls with which a driver connects again by itself: by a property, or with a mode or several hosts of MySQL and MariaDB. */
    private static final Pattern RECONNECTS = Pattern.compile(
            "auto_?reconnect=true|^jdbc:(mysql|mariadb)(\\+srv)?:(?!//)|^jdbc:(mysql|mariadb)://[^/?]*,",
            Pattern.CASE_INSENSITIVE);

    /** How many seconds a connection has after an error to answer. */
    private static final int ALIVE = 5;

    private final boolean readCommitted;
    private final @Nullable LockWait lockWait;
    /** Makes a transaction READ COMMITTED. */
    private final String nextReadCommitted;

    private final LocksMoreFrom locksMoreFrom;
    /** The isolation of the pool, as its first connection has it: with several drivers the question is a round trip. */
    private volatile int isolation = Connection.TRANSACTION_NONE;

    private volatile boolean networkTimeouts = true;
    private volatile boolean tried;
    private volatile boolean mayHang;

    /**
     * For one dialect.
     *
     * @param readCommitted whether its statements are refused under any other isolation
     * @param lockWait limits the wait for locks; null where the database's own limit is short enough
     * @param nextReadCommitted the statement that makes one transaction READ COMMITTED
     * @param locksMoreFrom the isolations in which that is sent
     */
    Settings(
            boolean readCommitted, @Nullable LockWait lockWait, String nextReadCommitted, LocksMoreFrom locksMoreFrom) {
        this.readCommitted = readCommitted;
        this.lockWait = lockWait;
        this.nextReadCommitted = nextReadCommitted;
        this.locksMoreFrom = locksMoreFrom;
    }

    /** For a dialect. */
    static Settings of(Statements statements) {
        Features features = statements.features();
        String text = statements.only(NEXT_READ_COMMITTED, Map.of()).text(NEXT_READ_COMMITTED);
        return new Settings(features.needsReadCommitted(), LockWait.of(statements), text, features.locksMoreFrom());
    }

    /** A borrowed connection, and the settings that it gets back. For one thread. */
    static final class Changes {

        private final Connection connection;
        private boolean autoCommit = true;
        private boolean isSwitched;
        private int isolation = Connection.TRANSACTION_NONE;
        /** In milliseconds; -1 if it is as it was. */
        private int networkTimeout = -1;

        private long lockWait = LockWait.AS_IT_IS;
        /** Whether the work was done, so that the connection is open. */
        boolean succeeded;

        /** Nothing is changed yet. */
        Changes(Connection connection) {
            this.connection = connection;
        }

        /** Reads whether it is in autocommit. Call it first. */
        boolean isAutoCommit() throws SQLException {
            autoCommit = connection.getAutoCommit();
            return autoCommit;
        }
    }

    /** Sets a connection up for work that may take this time. */
    void change(Changes changes, Duration timeout) throws SQLException {
        Connection connection = changes.connection;
        if (!changes.autoCommit) {
            changes.isSwitched = true;
            connection.setAutoCommit(true);
        }
        changes.isolation = toReadCommitted(connection);
        changes.networkTimeout = toNetworkTimeout(connection, timeout);
        if (lockWait != null) {
            changes.lockWait = lockWait.limit(connection, timeout);
        }
    }

    /** Restores a connection and returns it. */
    void giveBack(Changes changes) {
        try {
            if (changes.succeeded || !changes.connection.isClosed()) {
                restore(changes);
            }
        } catch (SQLException | RuntimeException e) {
            ConnectionCleanup.failed("restore a connection", e);
        } finally {
            try {
                changes.connection.close();
            } catch (SQLException | RuntimeException e) {
                ConnectionCleanup.failed("return a connection", e);
            }
        }
    }

    /** The first statement of a transaction, so that it locks only the rows that it takes; null if it needs none. */
    @Nullable
    String first(Connection connection) throws SQLException {
        if (locksMoreFrom == LocksMoreFrom.NEVER) {
            return null;
        }
        if (isolation == Connection.TRANSACTION_NONE) {
            isolation = connection.getTransactionIsolation();
        }
        return locksMoreFrom.includes(isolation) ? nextReadCommitted : null;
    }

    /** Runs work in a transaction. */
    public static void transact(Connection connection, Work work) throws SQLException {
        begin(connection);
        finish(connection, null, work);
    }

    /** Begins a transaction of ours. With some drivers that is a round trip, and the first to notice that the connection is dead. */
    static void begin(Connection connection) throws SQLException {
        try {
            connection.setAutoCommit(false);
        } catch (SQLException | RuntimeException e) {
            ConnectionCleanup.of(connection, false, true);
            throw e;
        }
    }

    /**
     * Runs work and commits. A failure leaves nothing behind: if the rollback fails, the connection is ended.
     *
     * @param first the first statement; null for none
     */
    static void finish(Connection connection, @Nullable String first, Work work) throws SQLException {
        boolean committed = false;
        try {
            if (first != null) {
                ConnectionCleanup.send(connection, first);
            }
            work.run(connection);
            CommitFailure.commit(connection);
            committed = true;
        } finally {
            ConnectionCleanup.of(connection, committed, true);
        }
    }

    /** After an error: whether the same connection still answers. One that may be another one by now does not count. */
    static boolean isAlive(Connection connection) {
        try (HeldInterrupt unused = new HeldInterrupt()) {
            return !connection.isClosed()
                    && connection.isValid(ALIVE)
                    && !RECONNECTS
                            .matcher(String.valueOf(connection.getMetaData().getURL()))
                            .find();
        } catch (SQLException | RuntimeException | AbstractMethodError e) {
            ConnectionCleanup.failed("ask a connection whether it is alive", new SQLException(e));
            return false;
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

    private void restore(Changes changes) throws SQLException {
        Connection connection = changes.connection;
        if (lockWait != null) {
            lockWait.restore(connection, changes.lockWait);
        }
        if (changes.networkTimeout >= 0) {
            connection.setNetworkTimeout(SAME_THREAD, changes.networkTimeout);
        }
        if (changes.isolation != Connection.TRANSACTION_NONE) {
            connection.setTransactionIsolation(changes.isolation);
        }
        if (changes.isSwitched) {
            connection.setAutoCommit(false);
        }
    }
}
