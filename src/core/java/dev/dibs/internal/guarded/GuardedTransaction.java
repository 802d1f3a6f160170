package dev.dibs.internal.guarded;

import dev.dibs.DatabaseFailureException;
import dev.dibs.TransactionCall;
import dev.dibs.internal.sql.connect.ConnectionCleanup;
import dev.dibs.internal.sql.errors.SqlErrors.Asked;
import dev.dibs.internal.sql.errors.SqlFailure.Outcome;
import dev.dibs.internal.values.Strings;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * A transaction of Dibs with the user's work in it, from its begin to its end. {@link GuardedTransactions} begin it. Its work is lent the
 * connection. A commit ends it, or else {@link #close}, which rolls it back and returns the connection as it came.
 *
 * <p>Whoever begins it locks what guards it: the row of the lease or of the lock, as its first statement, or the row of a run, whose completion
 * is its last one. For one thread.
 */
public final class GuardedTransaction implements AutoCloseable {

    private static final System.Logger LOG = System.getLogger("dev.dibs");

    private final Connection connection;
    private final Guard guard;
    private final GuardedTransactions all;
    private final GuardedTransactions.@Nullable Running here;
    private final boolean autoCommit;
    private boolean committed;
    private @Nullable LentConnection lent;

    /** Begins it; if that fails, the connection goes back at once. */
    GuardedTransaction(
            Connection connection, Guard guard, GuardedTransactions all, GuardedTransactions.@Nullable Running here)
            throws SQLException {
        this.connection = connection;
        this.guard = guard;
        this.all = all;
        this.here = here;
        try {
            this.autoCommit = connection.getAutoCommit();
            connection.setAutoCommit(false);
        } catch (SQLException | RuntimeException | Error e) {
            ConnectionCleanup.giveBack(connection);
            throw e;
        }
    }

    /** The connection itself, for statements of Dibs. */
    public Connection connection() {
        return connection;
    }

    /** Lends the connection to the work: its statements cannot end the transaction unseen. */
    public LentConnection lend() {
        lent = new LentConnection(connection, guard, all.database);
        return lent;
    }

    /** Commits. If it throws, perhaps the transaction was committed. */
    public void commit() throws SQLException {
        connection.commit();
        committed = true;
    }

    /**
     * Runs the work and commits. The work's own exceptions pass through unchanged.
     *
     * @throws DatabaseFailureException if it was not committed, or may not have been; the message says which
     */
    public <T extends @Nullable Object, X extends Exception> T call(TransactionCall<T, X> work) throws X {
        LentConnection toWork = lend();
        T value = work.call(toWork.get());
        try {
            toWork.requireCommittable();
            commit();
        } catch (SQLException e) {
            Outcome outcome = all.database
                    .errors()
                    .sent("commit", e, Asked.COMMIT, () -> false)
                    .outcome();
            throw guard.failed(
                    outcome == Outcome.UNKNOWN
                            ? "failed at its commit, and may have happened; look in your tables"
                            : "was rolled back by the database at its commit; nothing was committed",
                    e);
        }
        if (!toWork.isUsed() && all.warned.compareAndSet(false, true)) {
            LOG.log(
                    Level.WARNING,
                    "The work of " + Strings.oneLine(guard.transaction()) + " has not used its connection. What it"
                            + " wrote by another one, such as that of a JdbcTemplate, is neither guarded nor rolled back:"
                            + " use the connection that the work is given. (This warning comes once.)");
        }
        return value;
    }

    /** A connection whose transaction the work has ended is not used again: the session may keep more of it, such as locked tables. */
    @Override
    public void close() {
        try {
            boolean isEnded = lent != null && lent.close();
            ConnectionCleanup.of(connection, committed, autoCommit);
            if (isEnded) {
                ConnectionCleanup.end(connection);
            }
        } finally {
            if (here != null) {
                all.running.remove(here);
            }
            ConnectionCleanup.giveBack(connection);
        }
    }
}
