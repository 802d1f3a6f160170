package dev.dibs.internal.transaction;

import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.SQLException;

/** Gives a connection back as it came after a transaction of ours on it, whatever the database does meanwhile. */
public final class TransactionEnd {

    private static final System.Logger LOG = System.getLogger("dev.dibs");

    /** Something that may fail without consequence. */
    public interface Attempt {
        void run() throws SQLException;
    }

    private TransactionEnd() {}

    /**
     * Rolls back what is not committed. Autocommit on would commit what a rollback that failed has left: such a connection is not
     * used again. An interrupt, which would close the file under an embedded database, waits until that is done.
     */
    public static void of(Connection connection, boolean committed, boolean autoCommit) {
        boolean interrupted = Thread.interrupted();
        if (committed || quietly(connection::rollback)) {
            quietly(() -> connection.setAutoCommit(autoCommit));
        } else {
            quietly(() -> connection.abort(Runnable::run));
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** What fails here has an outcome already that matters more. */
    public static boolean quietly(Attempt attempt) {
        try {
            attempt.run();
            return true;
        } catch (SQLException | RuntimeException e) {
            LOG.log(Level.DEBUG, "Could not clean up after a transaction", e);
            return false;
        }
    }
}
