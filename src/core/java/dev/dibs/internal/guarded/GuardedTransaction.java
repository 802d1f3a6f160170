package dev.dibs.internal.guarded;

import dev.dibs.internal.sql.connect.ConnectionCleanup;
import java.sql.Connection;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * A transaction of Dibs on a connection of its own. When it is closed it is rolled back, unless it was committed, and the connection goes
 * back as it came.
 */
public final class GuardedTransaction implements AutoCloseable {

    private static final String BACK = "return a connection";

    private final Connection connection;
    private final boolean autoCommit;
    private boolean committed;
    private @Nullable LentConnection lent;

    private GuardedTransaction(Connection connection) throws SQLException {
        this.connection = connection;
        this.autoCommit = connection.getAutoCommit();
        connection.setAutoCommit(false);
    }

    /** Begins one; if that fails, the connection goes back at once. */
    public static GuardedTransaction begin(Connection connection) throws SQLException {
        try {
            return new GuardedTransaction(connection);
        } catch (SQLException | RuntimeException | Error e) {
            ConnectionCleanup.quietly(BACK, connection::close);
            throw e;
        }
    }

    public Connection connection() {
        return connection;
    }

    /** The work gets this instead of the connection. */
    public LentConnection lend(LentConnection toWork) {
        lent = toWork;
        return toWork;
    }

    public void committed() {
        committed = true;
    }

    /** A connection whose transaction the work has ended is not used again: the session may keep more of it, such as locked tables. */
    @Override
    public void close() {
        try {
            boolean isEnded = lent != null && lent.close();
            ConnectionCleanup.of(connection, committed, autoCommit);
            if (isEnded) {
                ConnectionCleanup.end(connection);
            }
        } finally {
            ConnectionCleanup.quietly(BACK, connection::close);
        }
    }
}
