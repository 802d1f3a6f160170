package dev.dibs.fault.worker;

import dev.dibs.DatabaseFailureException;
import dev.dibs.fault.history.HistoryWriter.Entry;
import dev.dibs.fault.history.OperationState;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;

/** A plain transaction of the application, as without a framework. */
final class Commit {

    private Commit() {}

    interface Work {
        /** Returns whether to commit. */
        boolean run(Connection tx) throws SQLException;
    }

    /** Runs it, and records its outcome. */
    static void attempt(DataSource dataSource, Entry entry, Work work) throws SQLException {
        boolean sent = false;
        OperationState state = OperationState.FAIL;
        try (Connection tx = dataSource.getConnection()) {
            tx.setAutoCommit(false);
            try {
                if (work.run(tx)) {
                    sent = true;
                    tx.commit();
                    state = OperationState.OK;
                }
            } catch (SQLException | DatabaseFailureException e) {
                state = sent ? OperationState.UNKNOWN : OperationState.FAIL;
                throw e;
            } finally {
                end(tx, state);
            }
        } finally {
            entry.end(state);
        }
    }

    private static void end(Connection tx, OperationState state) {
        try {
            if (state != OperationState.OK) {
                tx.rollback();
            }
            tx.setAutoCommit(true);
        } catch (SQLException e) {
            // The connection is broken, and the database rolls back what was not committed.
            return;
        }
    }
}
