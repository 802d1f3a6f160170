package dev.dibs.internal.sql.connect;

import dev.dibs.internal.sql.errors.SqlErrors;
import dev.dibs.internal.sql.errors.SqlErrors.Asked;
import dev.dibs.internal.sql.errors.SqlFailure;
import dev.dibs.internal.sql.files.Statements;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTimeoutException;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.stream.Stream;
import javax.sql.DataSource;

/**
 * Borrows a connection for one statement in autocommit, whatever state the pool's connections have, and returns it in that state.
 *
 * <p>A connection that arrives with autocommit off may have a transaction of the caller: some data sources bind one to the thread, and
 * switching autocommit on would commit it. So such a call is repeated on a thread of our own, which has no such connection. There,
 * autocommit off is only a setting of the pool, and is switched for the one statement.
 *
 * <p>A call also runs on such a thread if the driver would wait for ever for an answer over a network, as H2's does: the caller gives up in
 * time.
 *
 * @param ownThreads threads to which no transaction is bound
 * @param onOwnThread whether the caller is such a thread
 */
public record Connections(
        Source source, Executor ownThreads, boolean onOwnThread, SqlErrors errors, Settings settings) {

    /** One piece of work on a borrowed connection. */
    public interface Work {
        void run(Connection connection) throws SQLException;

        /** Whether it may change rows. */
        default boolean changes() {
            return true;
        }

        /** What an error of it has answered, unless it is one transaction. */
        default Asked asked() {
            return Asked.STATEMENT;
        }

        /** Whether a duplicate key means that another caller was faster. */
        default boolean mayCollide() {
            return false;
        }

        /** Decides whether it is sent again after it failed. */
        default boolean isToBeSentAgain(SqlFailure failure) {
            return false;
        }
    }

    /** Where connections come from. */
    interface Source {
        Connection get() throws SQLException;

        /** Ends the open requests. */
        default void close() {}
    }

    private Connections(Source source, Executor ownThreads, boolean onOwnThread, Statements statements) {
        this(source, ownThreads, onOwnThread, SqlErrors.load(statements.dialect()), Settings.of(statements));
    }

    /**
     * For calls on the user's threads.
     *
     * @param ownThreads threads to which no transaction is bound
     * @param statements of the database's dialect
     */
    public static Connections forCallers(DataSource dataSource, Executor ownThreads, Statements statements) {
        return new Connections(dataSource::getConnection, ownThreads, false, statements);
    }

    /** For calls on one background thread of our own, which must not hang in an exhausted pool. */
    public static Connections forBackground(DataSource dataSource, Executor ownThreads, Statements statements) {
        return new Connections(new BoundedWait(dataSource, ownThreads), ownThreads, true, statements);
    }

    /**
     * Runs work on a connection of its own.
     *
     * @param inTransaction whether the work is one transaction; else each statement of it is one
     */
    public void run(String statement, Duration timeout, boolean inTransaction, Work work) throws SqlFailure {
        while (true) {
            // An interrupted thread gets no connection from a pool, and makes H2 close a file that was not opened as
            // async. So the interrupt is kept for the caller until we are done, unless it comes while the statement
            // runs.
            boolean interrupted = Thread.interrupted();
            try {
                if (!onOwnThread && settings.mayHang()) {
                    runOnOwnThread(statement, timeout, inTransaction, work);
                    return;
                }
                Connection connection = borrow(statement);
                Settings.Changes changes = new Settings.Changes(connection);
                boolean sent = false;
                try {
                    if (changes.isAutoCommit() || onOwnThread) {
                        settings.change(changes, timeout);
                        if (inTransaction) {
                            String first = settings.first(connection);
                            Settings.begin(connection);
                            sent = true;
                            Settings.finish(connection, first, work);
                        } else {
                            sent = true;
                            work.run(connection);
                        }
                        changes.succeeded = true;
                        return;
                    }
                } catch (SQLException | RuntimeException e) {
                    if (!sent) {
                        throw errors.notSent(statement, e);
                    }
                    Asked asked = inTransaction ? Asked.IN_TRANSACTION : work.asked();
                    SqlFailure failure = failed(statement, e, asked, connection);
                    if (asked == Asked.BLOCK) {
                        ConnectionCleanup.endBlock(connection);
                    }
                    throw failure;
                } finally {
                    settings.giveBack(changes);
                }
                runOnOwnThread(statement, timeout, inTransaction, work);
                return;
            } catch (SqlFailure e) {
                if (!work.isToBeSentAgain(e)) {
                    SqlFailure failure = work.mayCollide() ? e.asCollision() : e;
                    throw failure.outcome() != SqlFailure.Outcome.UNKNOWN || work.changes()
                            ? failure
                            : failure.ofReading();
                }
            } finally {
                if (interrupted) {
                    Thread.currentThread().interrupt();
                }
            }
        }
    }

    /** The meaning of an error, while its connection is still ours to ask. */
    public SqlFailure failed(String statement, Exception error, Asked asked, Connection connection) {
        return errors.sent(statement, error, asked, () -> Settings.isAlive(connection));
    }

    /** The same for work that only reads. */
    public void read(String statement, Duration timeout, Work work) throws SqlFailure {
        try {
            run(statement, timeout, false, work);
        } catch (SqlFailure e) {
            throw e.ofReading();
        }
    }

    private void runOnOwnThread(String statement, Duration timeout, boolean inTransaction, Work work)
            throws SqlFailure {
        TimedWait call = new TimedWait();
        try {
            CompletableFuture<Void> answer = CompletableFuture.runAsync(
                    () -> {
                        try {
                            inOwnThread(call).run(statement, timeout, inTransaction, work);
                        } catch (SqlFailure e) {
                            throw new CompletionException(e);
                        }
                    },
                    ownThreads);
            if (settings.mayHang()) {
                if (!call.awaitSent(answer)) {
                    throw errors.notConnected(statement, new SQLTimeoutException("no connection in time"));
                }
                if (!TimedWait.isDone(answer, timeout)) {
                    call.giveUp();
                    throw unanswered(
                            statement, new SQLTimeoutException("no answer within " + timeout.toMillis() + " ms"));
                }
            }
            // join() does not end on an interrupt: the statement was sent, and its outcome must be known.
            Void unused = answer.join();
        } catch (RejectedExecutionException e) {
            throw errors.notSent(statement, e);
        } catch (CompletionException e) {
            throw e.getCause() instanceof SqlFailure failure ? failure : unanswered(statement, e.getCause());
        }
    }

    private static SqlFailure unanswered(String statement, Throwable error) {
        return new SqlFailure(statement, SqlFailure.Outcome.UNKNOWN, error);
    }

    /** The same connections, on a thread of our own. A call that was given up gets none. */
    private Connections inOwnThread(TimedWait call) {
        return new Connections(() -> call.begin(source.get()), ownThreads, true, errors, settings);
    }

    /** Gives up open requests for a connection. */
    public void close() {
        source.close();
    }

    /** Borrows one with its settings unchanged. */
    public Connection borrow(String statement) throws SqlFailure {
        try {
            return source.get();
        } catch (SQLException | RuntimeException e) {
            keepInterrupt(e);
            throw errors.notConnected(statement, e);
        }
    }

    /** Some pools clear the flag of a thread that is interrupted while it waits for a connection. */
    private static void keepInterrupt(Throwable failure) {
        if (isInterrupt(failure)) {
            Thread.currentThread().interrupt();
        }
    }

    /** Whether a pool gave no connection since the thread was interrupted. */
    public static boolean isInterrupt(Throwable failure) {
        return Stream.iterate(failure, Objects::nonNull, Throwable::getCause)
                .anyMatch(InterruptedException.class::isInstance);
    }
}
