package dev.dibs.internal.guarded;

import dev.dibs.DatabaseFailureException;
import dev.dibs.internal.sql.errors.Secrets;
import java.sql.SQLException;

/**
 * What makes a transaction exclusive, in the words of its messages.
 *
 * @param transaction the transaction, as the beginning of a sentence
 * @param isFirst whether it is the first statement, so that the database knows of the transaction whatever the work does
 * @param ends who ends the transaction, and when
 * @param early how the work is committed if a statement of it ends the transaction
 */
record Guard(String transaction, boolean isFirst, String ends, String early) {

    /** For a row of a run, whose completion is the last statement. */
    static final Guard ROW = new Guard(
            "the transaction of the work",
            false,
            "the run commits when the work returns, and rolls back when it throws",
            "without the completion of its row");

    /** For a lease, or for a lock without one. */
    static Guard of(String name) {
        return new Guard(
                "the guarded transaction on '" + name + "'",
                true,
                "inTransaction commits when the work returns, and rolls back when it throws",
                "under the guard");
    }

    DatabaseFailureException failed(String how, SQLException e) {
        return new DatabaseFailureException(transaction + " " + how + ": " + Secrets.masked(e), e);
    }
}
