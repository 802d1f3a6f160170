package dev.dibs.internal.transaction;

import dev.dibs.DatabaseFailureException;
import dev.dibs.internal.sql.errors.Secrets;
import dev.dibs.internal.sql.errors.SqlFailure;
import dev.dibs.internal.sql.run.Database;
import java.sql.Connection;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * The errors that the work has got, and may have caught. Most of them undo only their statement. But a deadlock ends the whole transaction,
 * with its guard, and the next statement would begin another one. On PostgreSQL, each error lets the commit become a rollback, unless a
 * rollback to a savepoint comes before.
 *
 * <p>Work without an error costs no round trip.
 */
final class PassedErrors {

    private final Connection connection;
    private final Database database;
    /** The first error since the last rollback to a savepoint. */
    private volatile @Nullable SQLException first;
    /** The error with which the database ended the transaction. */
    private volatile @Nullable SQLException ended;
    /** Whether there may have been errors that are not known here. */
    private volatile boolean unseen;

    PassedErrors(Connection connection, Database database) {
        this.connection = connection;
        this.database = database;
    }

    /** An error passes to the work. */
    void passed(SQLException e) {
        if (first == null) {
            first = e;
        }
        if (ended == null && database.errors().mayEndTransaction(e) && !isInTransaction()) {
            ended = e;
        }
    }

    /** The work goes on with the driver's own objects. */
    void mayPassUnseen() {
        unseen = true;
    }

    /** A rollback to a savepoint has succeeded. */
    void undone() {
        first = null;
    }

    private boolean isInTransaction() {
        try {
            return database.hasTransaction(connection);
        } catch (SqlFailure e) {
            return false;
        }
    }

    /**
     * Before a statement of the work: it must not begin another transaction.
     *
     * @throws SQLException with the state and code of the error that ended the transaction, so that it is tried again after both alike
     */
    void requireTransaction() throws SQLException {
        SQLException end = ended;
        if (end != null) {
            throw new SQLException(
                    "the database has rolled this transaction back, and nothing of it is committed. Let the work throw,"
                            + " and run the whole transaction again. The error was: " + Secrets.masked(end),
                    end.getSQLState(),
                    end.getErrorCode(),
                    end);
        }
    }

    /**
     * Before the commit.
     *
     * @param what the transaction, as the beginning of a message
     * @throws DatabaseFailureException if the database would roll back instead
     */
    void requireCommittable(String what) {
        SQLException end = ended;
        if (end != null) {
            throw new DatabaseFailureException(
                    what + " was rolled back by the database; nothing was committed. The work has caught the error: let"
                            + " it throw, and run the whole transaction again: " + Secrets.masked(end),
                    end);
        }
        SQLException caught = first;
        if (caught == null && !unseen) {
            return;
        }
        try {
            database.probeTransaction(connection);
        } catch (SqlFailure e) {
            Throwable cause = caught == null ? e.getCause() : caught;
            throw new DatabaseFailureException(
                    what + " was rolled back, since the database accepts nothing more in it; nothing was committed. The"
                            + " work has caught an error: let it throw, or roll back to a savepoint: "
                            + Secrets.masked(cause),
                    cause);
        }
    }
}
