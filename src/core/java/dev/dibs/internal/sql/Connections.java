package dev.dibs.internal.sql;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTimeoutException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import javax.sql.DataSource;

/**
 * Borrows a connection for one statement in autocommit, whatever the pool hands out, and gives it back as it came.
 *
 * <p>A connection that arrives with autocommit off may carry a transaction of the caller's: some data sources bind one to
 * the thread, and switching autocommit on would commit it. Such a call is repeated on a thread of our own, where nobody
 * can have bound anything; there, autocommit off is just the pool's habit and is switched for the one statement.
 *
 * <p>So is every call where the driver would wait for ever for an answer over a network, as H2's does: the caller gives up in time.
 */
public final class Connections {

    /** One piece of work on a borrowed connection. */
    interface Work<T> {
        T run(Connection connection) throws SQLException;
    }

    /** Where connections come from. */
    interface Source {
        Connection get() throws SQLException;

        /** Ends what is still being waited for. */
        default void close() {}
    }

    private final Source source;
    private final Executor ownThreads;
    private final boolean onOwnThread;
    private final SqlErrors errors;
    private final Settings settings;

    private Connections(Source source, Executor ownThreads, boolean onOwnThread, Statements statements) {
        this.source = source;
        this.ownThreads = ownThreads;
        this.onOwnThread = onOwnThread;
        this.errors = statements.errors();
        this.settings = new Settings(statements.features().needsReadCommitted(), errors);
    }

    /**
     * For calls on threads of the user's.
     *
     * @param ownThreads threads that carry no transaction of anybody's
     * @param statements of the dialect that the database speaks
     */
    public static Connections forCallers(DataSource dataSource, Executor ownThreads, Statements statements) {
        return new Connections(dataSource::getConnection, ownThreads, false, statements);
    }

    /** For calls on one thread of our own in the background, which must not hang in a pool that has run dry. */
    public static Connections forBackground(DataSource dataSource, Executor ownThreads, Statements statements) {
        return new Connections(new BoundedWait(dataSource, ownThreads), ownThreads, true, statements);
    }

    /**
     * Runs work on a connection of its own.
     *
     * @param inTransaction whether the work is one transaction; else each statement of it is one
     */
    <T> T run(String statement, Duration timeout, boolean inTransaction, Work<T> work) throws SqlFailure {
        // A pool would give no connection, and H2 closes a file that was not opened by async. So the interrupt is kept
        // for the caller until we are done. One that arrives while the statement runs is not.
        boolean interrupted = Thread.interrupted();
        try {
            if (!onOwnThread && settings.mayHang()) {
                return runOnOwnThread(statement, timeout, inTransaction, work);
            }
            Connection connection = borrow(statement);
            try {
                if (onOwnThread || connection.getAutoCommit()) {
                    return settings.with(connection, statement, timeout, inTransaction, work);
                }
            } catch (SQLException | RuntimeException e) {
                throw errors.notSent(statement, e);
            } finally {
                Settings.quietly("give a connection back", connection::close);
            }
            return runOnOwnThread(statement, timeout, inTransaction, work);
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private <T> T runOnOwnThread(String statement, Duration timeout, boolean inTransaction, Work<T> work)
            throws SqlFailure {
        PatientCall call = new PatientCall();
        try {
            CompletableFuture<T> answer = CompletableFuture.supplyAsync(
                    () -> useHere(statement, timeout, inTransaction, work, call), ownThreads);
            if (settings.mayHang()) {
                if (!call.awaitSent(answer)) {
                    throw errors.notConnected(statement, new SQLTimeoutException("no connection in time"));
                }
                if (!PatientCall.isDone(answer, timeout)) {
                    throw errors.sent(
                            statement, new SQLTimeoutException("no answer within " + timeout.toMillis() + " ms"));
                }
            }
            // join() does not end on an interrupt: the statement is on its way and its outcome must be known.
            return answer.join();
        } catch (RejectedExecutionException e) {
            throw errors.notSent(statement, e);
        } catch (CompletionException e) {
            throw e.getCause() instanceof SqlFailure failure ? failure : errors.sent(statement, e.getCause());
        }
    }

    private <T> T useHere(String statement, Duration timeout, boolean inTransaction, Work<T> work, PatientCall call) {
        try {
            Connection connection = borrow(statement);
            try {
                if (!call.begin()) {
                    throw errors.notSent(statement, new SQLTimeoutException("given up"));
                }
                return settings.with(connection, statement, timeout, inTransaction, work);
            } finally {
                Settings.quietly("give a connection back", connection::close);
            }
        } catch (SqlFailure e) {
            throw new CompletionException(e);
        }
    }

    /** Gives up a request for a connection that is still under way. */
    public void close() {
        source.close();
    }

    /** Borrows one as it comes. */
    Connection borrow(String statement) throws SqlFailure {
        try {
            return source.get();
        } catch (SQLException | RuntimeException e) {
            throw errors.notConnected(statement, e);
        }
    }
}
