package dev.dibs.internal.guarded;

import dev.dibs.DatabaseFailureException;
import dev.dibs.internal.sql.errors.Secrets;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * What makes a transaction exclusive, for its messages: the row of a lease or of a lock, which {@code guard_lease} or {@code guard_free_lock}
 * locks, or the row of a run.
 *
 * @param name that of the lease or the lock; null for a row of a run
 */
record Guard(@Nullable String name) {

    /** The completion of a row, which is the last statement. */
    static final Guard ROW = new Guard(null);

    /** Whether it is the first statement: then the database knows of the transaction whatever the work does. */
    boolean isFirst() {
        return name != null;
    }

    /** The transaction, as the beginning of a sentence. */
    String transaction() {
        return isFirst() ? "the guarded transaction on '" + name + "'" : "the transaction of the work";
    }

    /** Who ends the transaction, and when. */
    String ends() {
        return (isFirst() ? "inTransaction" : "the run")
                + " commits when the work returns, and rolls back when it throws";
    }

    /** How the work is committed if a statement of it ends the transaction. */
    String early() {
        return isFirst() ? "under the guard" : "without the completion of its row";
    }

    DatabaseFailureException failed(String how, SQLException e) {
        return new DatabaseFailureException(transaction() + " " + how + ": " + Secrets.masked(e), e);
    }
}
