package dev.dibs.internal.sql.connect;

import dev.dibs.internal.time.HeldInterrupt;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;

/** Restores a connection after a transaction of Dibs and gives it back, also if the database fails. */
public final class ConnectionCleanup {

    private static final System.Logger LOG = System.getLogger("dev.dibs");

    /** A step that may fail without consequence. */
    public interface Step {
        void run() throws SQLException;
    }

    private ConnectionCleanup() {}

    /**
     * Rolls back all uncommitted changes. If the rollback fails, the connection is not used again, because switching autocommit on
     * would commit the rest. An interrupt, which would close the file of an embedded database, is held back until this is done.
     */
    public static void of(Connection connection, boolean committed, boolean autoCommit) {
        try (HeldInterrupt unused = new HeldInterrupt()) {
            if (committed
                    || quietly("roll back", connection::rollback)
                    || quietly("roll back again", () -> rollBackEnded(connection))) {
                quietly("restore autocommit", () -> connection.setAutoCommit(autoCommit));
            } else {
                end(connection);
            }
        }
    }

    /** SQLite's driver rolls back only what is open, and its abort does nothing: a trigger that ended the transaction would break it. */
    private static void rollBackEnded(Connection connection) throws SQLException {
        send(connection, "SAVEPOINT dibs_ended");
        connection.rollback();
    }

    /** After an error of a block: on MariaDB, an UPDATE of several tables that fails in the middle passes by the block's own handler. */
    static void endBlock(Connection connection) {
        boolean unused = quietly("end a block", () -> send(connection, "ROLLBACK"));
    }

    static void send(Connection connection, String text) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(text);
        }
    }

    /** No pool uses it again. */
    public static void end(Connection connection) {
        boolean unused = quietly("end a connection", () -> connection.abort(Runnable::run));
    }

    /** Returns it to its pool. */
    public static void giveBack(Connection connection) {
        boolean unused = quietly("return a connection", connection::close);
    }

    /** A failure here is only logged: the operation already has a result, which matters more. Returns whether it succeeded. */
    public static boolean quietly(String what, Step step) {
        try {
            step.run();
            return true;
        } catch (SQLException | RuntimeException e) {
            failed(what, e);
            return false;
        }
    }

    static void failed(String what, Exception e) {
        LOG.log(Level.DEBUG, "Could not " + what, e);
    }
}
