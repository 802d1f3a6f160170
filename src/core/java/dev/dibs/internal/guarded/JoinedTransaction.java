package dev.dibs.internal.guarded;

import dev.dibs.DatabaseFailureException;
import dev.dibs.internal.sql.errors.Secrets;
import dev.dibs.internal.values.Arguments;
import java.sql.Connection;
import java.sql.SQLException;

/** Checks whether a statement can join the caller's transaction. */
public final class JoinedTransaction {

    private JoinedTransaction() {}

    /**
     * Requires that the connection can have a transaction.
     *
     * @param what what would join the transaction, as the beginning of a sentence
     * @param remedy what the caller can do
     * @throws IllegalStateException if autocommit is on
     * @throws DatabaseFailureException if the connection is dead
     */
    public static void require(Connection connection, String what, String remedy) {
        Arguments.required("connection", connection);
        boolean autoCommit;
        try {
            autoCommit = connection.getAutoCommit();
        } catch (SQLException e) {
            throw new DatabaseFailureException(
                    what + ": the connection cannot be used: " + Secrets.masked(e) + ". Roll back", e);
        }
        if (autoCommit) {
            throw new IllegalStateException(
                    what + " needs a transaction: call connection.setAutoCommit(false) first, " + remedy);
        }
    }
}
