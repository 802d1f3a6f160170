package dev.dibs.internal.transaction;

import dev.dibs.internal.sql.run.ConnectionCleanup;
import java.sql.Connection;
import java.sql.SQLException;

/**
 * A transaction of Dibs on a connection of its own. When it is closed it is rolled back, unless it was committed, and the connection goes
 * back as it came.
 */
public final class OwnTransaction implements AutoCloseable {

    private static final String BACK = "return a connection";

    private final Connection connection;
    private final boolean autoCommit;
    private boolean committed;

    private OwnTransaction(Connection connection) throws SQLException {
        this.connection = connection;
        this.autoCommit = connection.getAutoCommit();
        connection.setAutoCommit(false);
    }

    /** Begins one; if that fails, the connection goes back at once. */
    public static OwnTransaction begin(Connection connection) throws SQLException {
        try {
            return new OwnTransaction(connection);
        } catch (SQLException | RuntimeException | Error e) {
            ConnectionCleanup.quietly(BACK, connection::close);
            throw e;
        }
    }

    public Connection connection() {
        return connection;
    }

    public void committed() {
        committed = true;
    }

    @Override
    public void close() {
        try {
            ConnectionCleanup.of(connection, committed, autoCommit);
        } finally {
            ConnectionCleanup.quietly(BACK, connection::close);
        }
    }
}
