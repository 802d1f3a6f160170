package dev.dibs.fault.worker;

import dev.dibs.DatabaseFailureException;
import dev.dibs.fault.history.HistoryWriter.Entry;
import dev.dibs.fault.history.Stage;
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
        Stage stage = Stage.FAIL;
        try (Connection tx = dataSource.getConnection()) {
            tx.setAutoCommit(false);
            try {
                if (work.run(tx)) {
                    sent = true;
                    tx.commit();
                    stage = Stage.OK;
                }
            } catch (SQLException | DatabaseFailureException e) {
                stage = sent ? Stage.UNKNOWN : Stage.FAIL;
                throw e;
            } finally {
                end(tx, stage);
            }
        } finally {
            entry.end(stage);
        }
    }

    private static void end(Connection tx, Stage stage) {
        try {
            if (stage != Stage.OK) {
                tx.rollback();
            }
            tx.setAutoCommit(true);
        } catch (SQLException e) {
            // The connection is broken, and the database rolls back what was not committed.
            return;
        }
    }
}
