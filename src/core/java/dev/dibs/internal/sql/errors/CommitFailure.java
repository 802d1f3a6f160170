package dev.dibs.internal.sql.errors;

import java.sql.Connection;
import java.sql.SQLException;

/** A COMMIT was sent, and its answer is an error, or there is none. */
public final class CommitFailure extends SQLException {

    private static final long serialVersionUID = 1;

    private CommitFailure(Exception cause) {
        super(cause);
    }

    /** Commits. */
    public static void commit(Connection connection) throws CommitFailure {
        try {
            connection.commit();
        } catch (SQLException | RuntimeException e) {
            throw new CommitFailure(e);
        }
    }
}
