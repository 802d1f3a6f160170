package dev.dibs.internal.guarded;

import dev.dibs.DatabaseFailureException;
import dev.dibs.internal.sql.call.Call;
import dev.dibs.internal.sql.call.Database;
import dev.dibs.internal.sql.call.NamedStatement;
import dev.dibs.internal.sql.errors.Secrets;
import dev.dibs.internal.sql.errors.SqlFailure;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Knows whether a connection is still in the transaction that the work was lent. A text may end it that is not plainly a query or a change of
 * rows; so may an error. Before such a text the transaction gets a mark, which is looked for afterwards. Without it, the text has ended the
 * transaction. What came before is then committed, and nothing more passes.
 *
 * <p>Most errors undo only their statement. But a deadlock ends the whole transaction, and the next statement would begin another one. On
 * PostgreSQL, each error lets the commit become a rollback, unless a rollback to a savepoint comes before.
 *
 * <p>Plain work without an error costs no round trip.
 */
final class TransactionMark {

    /** SQLSTATE: invalid transaction termination. */
    static final String STATE = "2D000";

    /** Answers with the numbers of the transaction, or with none if a savepoint is its mark. */
    private static final NamedStatement<String> MARK_TRANSACTION =
            NamedStatement.of("mark_transaction", row -> row.getString("mark"));
    /** Answers with the numbers of the transaction. A savepoint is released; if there is none, that is an error. */
    private static final NamedStatement<String> FIND_MARK =
            NamedStatement.of("find_mark", row -> row.getString("mark"));

    private final Connection connection;
    private final Database database;
    private final Guard guard;
    /** The first error since the last rollback to a savepoint. */
    private volatile @Nullable SQLException first;
    /** The end of the transaction, as the work was told. */
    private volatile @Nullable SQLException ended;
    /** The mark that the transaction has: its numbers, or none of them if it is a savepoint. */
    private volatile @Nullable List<String> mark;
    /** Whether the commit needs a look: there may be statements or errors that are not known here. */
    private volatile boolean inDoubt;
    /** Whether the transaction is over for the work, too. */
    private volatile boolean closed;
    /** Whether the work has savepoints. To release one that is older than theirs would release them, too. */
    private volatile boolean savepoints;

    TransactionMark(Connection connection, Guard guard, Database database) {
        this.connection = connection;
        this.guard = guard;
        this.database = database;
    }

    /** Before a text that may end the transaction. */
    void before() throws SQLException {
        if (mark == null || isOlder()) {
            setMark();
        }
    }

    /**
     * After that text.
     *
     * @throws SQLException if it has ended the transaction
     */
    void after() throws SQLException {
        if (found(null) && inDoubt) {
            markToTheEnd();
        }
    }

    /** After that text has failed, of which the work gets the error. */
    void afterFailure(@Nullable SQLException error) {
        if (error != null) {
            remember(error);
        }
        try {
            if (found(error) && inDoubt) {
                markToTheEnd();
            }
        } catch (SQLException e) {
            // The work gets its own error, and this one with the next statement.
            remember(e);
        }
    }

    /** The work goes on with the driver's own objects. The commit finds out what they did. */
    void mayPassUnseen() {
        if (!inDoubt && ended == null) {
            inDoubt = true;
            try {
                markToTheEnd();
            } catch (SQLException e) {
                // The transaction accepts nothing, as after an error. The commit asks again.
                remember(e);
            }
        }
    }

    /** Before a statement about savepoints, which may give the transaction other numbers. Returns whether to mark it again. */
    boolean beforeSavepoint() throws SQLException {
        savepoints = true;
        List<String> numbers = mark;
        return numbers != null && !numbers.isEmpty() && found(null);
    }

    /** After that. */
    void afterSavepoint(boolean again) throws SQLException {
        if (again) {
            setMark();
        }
    }

    /** A rollback to a savepoint has succeeded. */
    void undone() {
        first = null;
    }

    /** A mark that the commit looks for. Beside savepoints of the work, a savepoint is none. */
    private void markToTheEnd() throws SQLException {
        setMark();
        if (isOlder()) {
            mark = null;
        }
    }

    /** Whether the mark is a savepoint, and may be older than one of the work. */
    private boolean isOlder() {
        List<String> numbers = mark;
        return savepoints && numbers != null && numbers.isEmpty();
    }

    private void setMark() throws SQLException {
        try {
            mark = database.callOn(connection, MARK_TRANSACTION).rows();
        } catch (SqlFailure e) {
            throw e.getCause() instanceof SQLException cause ? cause : new SQLException(e);
        }
    }

    /**
     * Looks for the mark, and takes it away. Returns false if that cannot be known now, as after an error on PostgreSQL: the commit looks again.
     *
     * @param error of the text; null if it did not fail
     * @throws SQLException if the transaction has ended
     */
    private boolean found(@Nullable SQLException error) throws SQLException {
        try {
            if (isMarked()) {
                return true;
            }
        } catch (SqlFailure e) {
            inDoubt = true;
            return false;
        }
        SQLException end = error != null && mayEndTransaction(error)
                ? rolledBack(error, ", but for what the failed statement has committed itself")
                : byText(error);
        ended = end;
        throw end;
    }

    private boolean isMarked() throws SqlFailure {
        List<String> before = mark;
        if (before == null) {
            return true;
        }
        List<String> now;
        try {
            now = database.callOn(connection, FIND_MARK).rows();
        } catch (SqlFailure e) {
            if (before.isEmpty() && e.isKnownRefusal()) {
                return false;
            }
            throw e;
        }
        mark = null;
        return before.isEmpty() || !Collections.disjoint(before, now);
    }

    /**
     * An error passes to the work, of a statement that does not end the transaction by itself.
     *
     * @param sent whether the statement may have come to the database
     */
    void passed(SQLException e, boolean sent) {
        remember(e);
        if (ended == null
                && (mayEndTransaction(e)
                        || (guard.isFirst() && sent && database.errors().saysNothing(e)))
                && !isInTransaction()) {
            ended = rolledBack(e, "");
        }
    }

    private boolean mayEndTransaction(SQLException e) {
        return database.statements().features().errorsMayEndTransaction()
                || database.errors().mayEndTransaction(e);
    }

    private void remember(SQLException e) {
        if (first == null) {
            first = e;
        }
    }

    private boolean isInTransaction() {
        try {
            return database.hasTransaction(connection);
        } catch (SqlFailure e) {
            return false;
        }
    }

    /** With the state and code of the error, so that the transaction is tried again after both alike. */
    private static SQLException rolledBack(SQLException e, String but) {
        return new SQLException(
                "the database has rolled this transaction back, and nothing was committed" + but + ". Let the"
                        + " work throw, and run the whole transaction again. The error was: " + Secrets.masked(e),
                e.getSQLState(),
                e.getErrorCode(),
                e);
    }

    private SQLException byText(@Nullable SQLException error) {
        return new SQLException(
                "a statement of the work has ended this transaction. What came before was committed " + guard.early()
                        + ", or rolled back if that statement did so; nothing after it is committed. Use another"
                        + " connection for such a statement, before or after"
                        + (error == null ? "" : ". It failed: " + Secrets.masked(error)),
                STATE,
                error);
    }

    /**
     * Before a statement of the work: it must not begin another transaction.
     *
     * @throws SQLException if the transaction has ended
     */
    void requireTransaction() throws SQLException {
        if (closed) {
            throw new SQLException("this transaction has ended: the work has returned", STATE);
        }
        SQLException end = ended;
        if (end != null) {
            throw new SQLException(end.getMessage(), end.getSQLState(), end.getErrorCode(), end);
        }
    }

    /** After the end of the transaction. Returns whether a statement of the work has ended it. */
    boolean close() {
        closed = true;
        SQLException end = ended;
        return end != null && STATE.equals(end.getSQLState());
    }

    /**
     * Before the commit.
     *
     * @throws DatabaseFailureException if the transaction has ended
     */
    void requireNoEnd() {
        SQLException end = ended;
        if (end != null) {
            String early = STATE.equals(end.getSQLState()) ? " ended before the work returned: " : " was rolled back: ";
            throw new DatabaseFailureException(guard.transaction() + early + end.getMessage(), end);
        }
    }

    /**
     * Before the commit. That is a round trip if something is in doubt.
     *
     * @throws DatabaseFailureException if the transaction has ended, or the database would roll it back
     */
    void requireCommittable() {
        SQLException caught = first;
        if (caught == null && !inDoubt) {
            return;
        }
        try {
            lookAtTheEnd();
        } catch (SqlFailure e) {
            Throwable cause = caught == null ? e.getCause() : caught;
            throw new DatabaseFailureException(
                    guard.transaction()
                            + " was rolled back, since the database accepts nothing more in it; nothing was committed. The"
                            + " work has caught an error: let it throw, or roll back to a savepoint: "
                            + Secrets.masked(cause),
                    cause);
        }
        requireNoEnd();
    }

    private void lookAtTheEnd() throws SqlFailure {
        if (mark == null) {
            Call<String> unused = database.callOn(connection, MARK_TRANSACTION);
        } else if (!isMarked()) {
            ended = byText(null);
        }
    }
}
