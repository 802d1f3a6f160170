package dev.dibs.sql;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Runs named statements: on a connection of our own, or on the caller's.
 *
 * <p>Safe for use by many threads at once.
 */
public final class Database {

    private final Connections connections;
    private final Statements statements;
    private final Runner runner;

    /** Over the given connections, in the given dialect. */
    public Database(Connections connections, Statements statements) {
        this.connections = connections;
        this.statements = statements;
        this.runner = new Runner(statements);
    }

    /** The statements in use. */
    public Statements statements() {
        return statements;
    }

    /**
     * Runs a statement in a transaction of its own (each of its steps in one) and returns when it is committed.
     *
     * @param timeout how long the answer may take, where the driver knows network timeouts
     * @param settles a row after which no further step is needed
     */
    public <T> Answer<T> call(
            String statement, Params params, Duration timeout, RowReader<T> reader, Predicate<? super T> settles)
            throws SqlFailure {
        return connections.run(
                statement, timeout, connection -> runner.run(connection, statement, params, reader, settles));
    }

    /** The same, where every step is needed. */
    public <T> Answer<T> call(String statement, Params params, Duration timeout, RowReader<T> reader)
            throws SqlFailure {
        return call(statement, params, timeout, reader, row -> false);
    }

    /** The same, where the rows themselves do not matter. */
    public Answer<Boolean> call(String statement, Params params, Duration timeout) throws SqlFailure {
        return call(statement, params, timeout, row -> true);
    }

    /** The names of the columns that a query returns, in lower case. */
    public Set<String> columns(String query, Duration timeout) throws SqlFailure {
        return connections.run(query, timeout, connection -> runner.columns(connection, query));
    }

    /** Runs a statement on the caller's connection, as a part of its transaction; nothing is retried or restored. */
    public Answer<Boolean> callOn(Connection connection, String statement, Params params) throws SqlFailure {
        try {
            return runner.run(connection, statement, params, row -> true, row -> false);
        } catch (SQLException e) {
            throw SqlFailure.sent(statement, e);
        }
    }
}
