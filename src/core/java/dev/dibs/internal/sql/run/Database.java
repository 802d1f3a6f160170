package dev.dibs.internal.sql.run;

import dev.dibs.internal.retry.Retry;
import dev.dibs.internal.retry.RetryPolicy;
import dev.dibs.internal.sql.errors.SqlErrors;
import dev.dibs.internal.sql.errors.SqlFailure;
import dev.dibs.internal.sql.files.ColumnInfo;
import dev.dibs.internal.sql.files.SqlName;
import dev.dibs.internal.sql.files.Statements;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * Runs named statements: on a connection of our own, or on the caller's.
 *
 * <p>Safe for use by many threads at once.
 */
public final class Database {

    private final Connections connections;
    private final Statements statements;
    private final Duration tolerance;
    private final Runner runner;

    /**
     * Over the given connections, in the given dialect.
     *
     * @param protocol refuses the tables of a later protocol
     * @param tolerance how much longer a row is held than its holder relies on it
     */
    public Database(Connections connections, Statements statements, Protocol protocol, Duration tolerance) {
        this.connections = connections;
        this.statements = statements;
        this.tolerance = tolerance;
        this.runner = new Runner(statements, connections.errors(), protocol, tolerance.toMillis());
    }

    /** The same, without a tolerance. */
    public Database(Connections connections, Statements statements) {
        this(connections, statements, new Protocol(statements), Duration.ZERO);
    }

    /** How much longer a row is held than its holder relies on it. */
    public Duration tolerance() {
        return tolerance;
    }

    /** The statements in use. */
    public Statements statements() {
        return statements;
    }

    /** The meaning of the database's errors. */
    public SqlErrors errors() {
        return connections.errors();
    }

    /**
     * Runs a statement in a transaction of its own (each of its steps in one) and returns when it is committed.
     *
     * @param timeout how long the answer may take, if the driver supports network timeouts
     * @param settles a row after which the steps with {@code unless} must not be sent
     */
    public <T> Call<T> call(
            String statement, Params params, Duration timeout, RowReader<T> reader, Predicate<? super T> settles)
            throws SqlFailure {
        Call<T> call = Call.of(statements, statement, params, reader).settledBy(settles);
        Resend resend = runner.resend();
        connections.run(statement, timeout, false, resend, runner.inTurn(List.of(call), resend));
        return call;
    }

    /** The same, where every step is needed. */
    public <T> Call<T> call(String statement, Params params, Duration timeout, RowReader<T> reader) throws SqlFailure {
        return call(statement, params, timeout, reader, row -> false);
    }

    /** The same, where the rows themselves do not matter. */
    public Call<Boolean> call(String statement, Params params, Duration timeout) throws SqlFailure {
        // Not by the method above: a release may be 13 calls away from its driver.
        Call<Boolean> call = Call.of(statements, statement, params, row -> true);
        Resend resend = runner.resend();
        connections.run(statement, timeout, false, resend, runner.inTurn(List.of(call), resend));
        return call;
    }

    /** The columns that a query returns. */
    public List<ColumnInfo> columns(Statements of, String query, Duration timeout) throws SqlFailure {
        return connections.run(
                query,
                timeout,
                false,
                runner.resend(),
                connection -> Runner.columns(connection, of.steps(query).get(0)));
    }

    /**
     * A table in the catalog; empty if there is none of that name.
     *
     * @param name as it stands in a statement: table, schema.table or catalog.schema.table
     */
    public Optional<TableInfo> table(String name, Duration timeout) throws SqlFailure {
        Map<String, String> filters = new HashMap<>();
        call(
                "find_index_filters",
                Params.of("table", name),
                timeout,
                row -> filters.put(row.getString("index_name"), row.getString("filter")));
        return connections.run(
                "catalog",
                timeout,
                false,
                runner.resend(),
                connection -> new Catalog(connection, filters).table(SqlName.inCatalog(name)));
    }

    /**
     * Runs an operation and returns its result. Each of its transactions is one of its own, and one round trip if the database can. If a later
     * one fails, the first stays committed: then the outcome is unknown.
     */
    public <R> List<R> run(Steps<R> steps, Duration timeout) throws SqlFailure {
        List<Call<?>> calls = steps.calls();
        Supplier<List<Call<?>>> dependent = steps.dependent();
        Resend resend = runner.resendForTable();
        boolean inTransaction = dependent != null || !runner.isOneText(calls);
        connections.run(
                calls.get(0).statement(),
                timeout,
                inTransaction,
                resend,
                dependent == null
                        ? runner.inTurn(calls, resend)
                        : connection -> {
                            runner.inTurn(calls, resend).run(connection);
                            return runner.inTurn(dependent.get(), resend).run(connection);
                        });
        steps.finish(more -> Retry.uninterrupted(RetryPolicy.REST, () -> {
            transact(more, timeout);
            return true;
        }));
        return steps.result();
    }

    /** Runs calls in one transaction of their own, and returns when it is committed. */
    public void transact(List<Call<?>> calls, Duration timeout) throws SqlFailure {
        run(Steps.of(calls, List::of), timeout);
    }

    /** Runs a call in a transaction of its own, which is rolled back if the rows are not enough. */
    public <T> List<T> transactIf(Call<T> call, Predicate<List<T>> enough, Duration timeout) throws SqlFailure {
        Resend resend = runner.resend();
        return connections.run(call.statement(), timeout, true, resend, connection -> {
            runner.inTurn(List.of(call), resend).run(connection);
            if (enough.test(call.rows())) {
                return call.rows();
            }
            connection.rollback();
            return List.of();
        });
    }

    /** Runs calls in turn, in a transaction that is rolled back. */
    public void tryOut(List<Call<?>> calls, Duration timeout) throws SqlFailure {
        Resend resend = runner.resendForTable();
        connections.run(calls.get(0).statement(), timeout, true, resend, connection -> {
            runOneByOne(connection, calls, resend);
            connection.rollback();
            return true;
        });
    }

    /** Runs an operation on the caller's connection, as part of its transaction; nothing is retried or restored. */
    public <R> List<R> runOn(Connection connection, Steps<R> steps) throws SqlFailure {
        transactOn(connection, steps.calls());
        steps.finish(more -> transactOn(connection, more));
        return steps.result();
    }

    /** The same for calls. */
    public void transactOn(Connection connection, List<Call<?>> calls) throws SqlFailure {
        try {
            runOneByOne(connection, calls, runner.resend());
        } catch (SQLException e) {
            throw connections.errors().sent(calls.get(0).statement(), e);
        }
    }

    private void runOneByOne(Connection connection, List<Call<?>> calls, Resend resend) throws SQLException {
        for (Call<?> call : calls) {
            runner.inTurn(List.of(call), resend).run(connection);
        }
    }

    /** The same for one statement. */
    public Call<Boolean> callOn(Connection connection, String statement, Params params) throws SqlFailure {
        return callOn(connection, statement, params, row -> true);
    }

    /** The same, where the rows matter. */
    public <T> Call<T> callOn(Connection connection, String statement, Params params, RowReader<T> reader)
            throws SqlFailure {
        Call<T> call = Call.of(statements, statement, params, reader);
        transactOn(connection, List.of(call));
        return call;
    }

    /** Whether the database knows that this connection has an open transaction. It may have one after the question, too. */
    public boolean hasTransaction(Connection connection) throws SqlFailure {
        try {
            return !callOn(connection, "find_transaction", Params.none()).rows().isEmpty();
        } catch (SqlFailure e) {
            if (e.outcome() == SqlFailure.Outcome.REFUSED) {
                return true;
            }
            throw e;
        }
    }

    /** Fails if a statement of the connection's transaction has failed and the database accepts nothing more in it. */
    public void probeTransaction(Connection connection) throws SqlFailure {
        Call<Boolean> unused = callOn(connection, "probe_transaction", Params.none());
    }

    /** Borrows a connection for longer than a statement; the caller returns it with the same settings. */
    public Connection borrow(String forStatement) throws SqlFailure {
        return connections.borrow(forStatement);
    }
}
