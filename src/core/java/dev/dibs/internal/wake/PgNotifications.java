package dev.dibs.internal.wake;

import dev.dibs.DatabaseFailureException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.stream.Stream;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;

/** The notifications of a connection to PostgreSQL. Only this class needs PostgreSQL's driver. */
record PgNotifications(PGConnection connection) {

    private static final String DRIVER = "org.postgresql.PGConnection";

    /** Throws if the driver is missing, before any class of it is used. */
    static void requireDriver() {
        try {
            Class.forName(DRIVER, false, PgNotifications.class.getClassLoader());
        } catch (ClassNotFoundException e) {
            throw new DatabaseFailureException(
                    "wakeByNotify() needs PostgreSQL's driver, org.postgresql:postgresql, where Dibs itself is loaded from."
                            + " Add it there, or leave wakeByNotify() out: waiters then poll",
                    e);
        }
    }

    /**
     * The notifications of a connection of that driver, also through a pool.
     *
     * @throws SQLException if it is a connection of another driver, or the pool hides it
     */
    static PgNotifications of(Connection connection) throws SQLException {
        if (!connection.isWrapperFor(PGConnection.class)) {
            throw new SQLException("the data source's connections cannot be unwrapped to " + DRIVER
                    + "; give wakeByNotify(..) a data source of PostgreSQL's own driver");
        }
        return new PgNotifications(connection.unwrap(PGConnection.class));
    }

    /** The texts that have come since the last call; waits for the first one. The connection is in use during the call. */
    List<String> await(int millis) throws SQLException {
        PGNotification[] notifications = connection.getNotifications(Math.max(1, millis));
        return notifications == null
                ? List.of()
                : Stream.of(notifications).map(PGNotification::getParameter).toList();
    }

    /** Ends the connection at once, from any thread. */
    void abort() throws SQLException {
        ((Connection) connection).abort(Runnable::run);
    }
}
