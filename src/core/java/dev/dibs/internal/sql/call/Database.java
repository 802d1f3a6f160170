package dev.dibs.internal.sql.call;

import dev.dibs.internal.sql.catalog.Catalog;
import dev.dibs.internal.sql.catalog.TableInfo;
import dev.dibs.internal.sql.connect.Connections;
import dev.dibs.internal.sql.errors.SqlErrors;
import dev.dibs.internal.sql.errors.SqlErrors.Asked;
import dev.dibs.internal.sql.errors.SqlFailure;
import dev.dibs.internal.sql.files.BoundSql;
import dev.dibs.internal.sql.files.ColumnInfo;
import dev.dibs.internal.sql.files.NamePart;
import dev.dibs.internal.sql.files.SqlName;
import dev.dibs.internal.sql.files.Statements;
import dev.dibs.internal.sql.files.TableSql;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Runs named statements: on a connection of our own, or on the caller's.
 *
 * <p>Safe for use by many threads at once.
 */
public final class Database {

    private static final NamedStatement<Boolean> FIND_TRANSACTION = NamedStatement.of("find_transaction");

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
     * @param values one for each slot of the statement
     */
    public <T> Call<T> call(NamedStatement<T> statement, Duration timeout, @Nullable Object... values)
            throws SqlFailure {
        Call<T> call = new Call<>(statements, statement, values);
        check(call, timeout);
        connections.run(statement.name(), timeout, false, sending(call, 0));
        return call;
    }

    private void check(List<Call<?>> calls, Duration timeout) throws SqlFailure {
        for (Call<?> call : calls) {
            check(call, timeout);
        }
    }

    /** Checks the tables of a statement at its first use, before a transaction of ours begins. */
    private void check(Call<?> call, Duration timeout) throws SqlFailure {
        if (!runner.protocol.hasPassed(call)) {
            connections.read(call.name(), timeout, connection -> runner.protocol.require(connection, call, true));
        }
    }

    /** What makes a table of ours unfit now, as far as this user may ask; else an empty text. */
    public String problem(TableSql table, Duration timeout) {
        try {
            connections.read("look_at_table", timeout, connection -> runner.protocol.examine(connection, table, true));
        } catch (SqlFailure e) {
            return e.getCause() instanceof Protocol.Unusable
                    ? String.valueOf(e.getCause().getMessage())
                    : "";
        }
        return "";
    }

    private Sending sending(Call<?> call, int stalePlans) {
        BoundSql only = call.onlyStep();
        return only == null
                ? new JoinedStatements(runner, List.of(call), null, stalePlans)
                : new OneStatement(runner, call, only, stalePlans);
    }

    /** The same for a statement that is sent seldom. */
    public <T> Call<T> call(String statement, Params params, Duration timeout, RowReader<T> reader) throws SqlFailure {
        return call(NamedStatement.of(statement, reader, params.names()), timeout, params.values());
    }

    /** The same, where the rows themselves do not matter. */
    public Call<Boolean> call(String statement, Params params, Duration timeout) throws SqlFailure {
        return call(statement, params, timeout, row -> true);
    }

    public List<ColumnInfo> columns(Statements of, String query, Duration timeout) throws SqlFailure {
        List<ColumnInfo> columns = new ArrayList<>();
        connections.read(
                query,
                timeout,
                connection -> columns.addAll(
                        Runner.columns(connection, of.steps(query).get(0))));
        return columns;
    }

    /**
     * A table in the catalog; empty if there is none of that name.
     *
     * @param name as it stands in a statement: table, schema.table or catalog.schema.table
     */
    public Optional<TableInfo> table(String name, Duration timeout) throws SqlFailure {
        Map<String, String> filters = new HashMap<>();
        Map<String, String> rules = new HashMap<>();
        List<NamePart> parts = SqlName.inCatalog(name);
        int last = parts.size() - 1;
        Params params = Params.of("table", name)
                .with("name", parts.get(last).text())
                .with("schema", last == 0 ? "" : parts.get(last - 1).text());
        call(
                "find_conditions",
                params,
                timeout,
                row -> (row.getInt("is_rule") == 1 ? rules : filters)
                        .put(row.getString("name"), row.getString("clause")));
        AtomicReference<Optional<TableInfo>> table = new AtomicReference<>(Optional.empty());
        connections.read(
                "catalog", timeout, connection -> table.set(new Catalog(connection, filters, rules).table(parts)));
        return table.get();
    }

    /**
     * Runs an operation and returns its result. Each of its transactions is one of its own, and one round trip if the database can. If a later
     * one fails, the first stays committed: then the outcome is unknown.
     *
     * @param rest sends what follows the commit of the first transaction
     */
    public <R> List<R> run(Steps<R> steps, Duration timeout, Steps.Sender rest) throws SqlFailure {
        List<Call<?>> calls = steps.calls();
        Call<?> first = calls.get(0);
        boolean isAlone = calls.size() == 1 && steps.dependent() == null;
        boolean inTransaction = steps.dependent() != null || !runner.isOneText(calls);
        check(calls, timeout);
        Sending work = isAlone
                ? sending(first, Sending.STALE_PLANS)
                : new JoinedStatements(runner, calls, steps.dependent(), Sending.STALE_PLANS);
        connections.run(first.name(), timeout, inTransaction, work);
        if (steps.hasRest()) {
            steps.finish(more -> rest.send(() -> transact(more, timeout)));
        }
        return steps.result();
    }

    /** Runs calls in one transaction of their own, and returns when it is committed. */
    public void transact(List<Call<?>> calls, Duration timeout) throws SqlFailure {
        run(Steps.of(calls, List::of), timeout, Steps.Send::send);
    }

    /** Runs a call in a transaction of its own, which is rolled back if the rows are not enough. */
    public <T> List<T> transactIf(
            Predicate<List<T>> enough, NamedStatement<T> statement, Duration timeout, @Nullable Object... values)
            throws SqlFailure {
        Call<T> call = new Call<>(statements, statement, values);
        check(call, timeout);
        connections.run(statement.name(), timeout, true, sending(call, 0).then(connection -> {
            if (!enough.test(call.rows())) {
                connection.rollback();
                call.forget();
            }
        }));
        return call.rows();
    }

    /** Runs calls in turn, in a transaction that is rolled back. */
    public void tryOut(List<Call<?>> calls, Duration timeout) throws SqlFailure {
        check(calls, timeout);
        JoinedStatements work = new JoinedStatements(runner, calls, null, Sending.STALE_PLANS);
        work.mayJoin = false;
        connections.run(calls.get(0).name(), timeout, true, work.then(Connection::rollback));
    }

    /** Runs an operation on the caller's connection, as part of its transaction; nothing is retried or restored. */
    public <R> List<R> runOn(Connection connection, Steps<R> steps) throws SqlFailure {
        // A search would lock rows until the caller's commit: no suspicion is worth that.
        steps.calls().forEach(call -> call.gapped(false));
        return steps.send(calls -> {
            for (Call<?> call : calls) {
                sendOn(connection, call);
            }
        });
    }

    private void sendOn(Connection connection, Call<?> call) throws SqlFailure {
        try {
            sending(call, 0).run(connection);
        } catch (SQLException e) {
            throw failed(call.name(), e, connection);
        }
    }

    /** The meaning of an error on the caller's connection, as part of its transaction. */
    public SqlFailure failed(String statement, SQLException error, Connection connection) {
        return connections.failed(statement, error, Asked.IN_TRANSACTION, connection);
    }

    /** The same for one statement, with a value for each of its slots. */
    public <T> Call<T> callOn(Connection connection, NamedStatement<T> statement, @Nullable Object... values)
            throws SqlFailure {
        Call<T> call = new Call<>(statements, statement, values);
        sendOn(connection, call);
        return call;
    }

    /** The same for a statement that is sent seldom. */
    public Call<Boolean> callOn(Connection connection, String statement, Params params) throws SqlFailure {
        return callOn(connection, statement, params, row -> true);
    }

    /** The same, where the rows matter. */
    public <T> Call<T> callOn(Connection connection, String statement, Params params, RowReader<T> reader)
            throws SqlFailure {
        return callOn(connection, NamedStatement.of(statement, reader, params.names()), params.values());
    }

    /** Whether the database knows that this connection has an open transaction. It may have one after the question, too. */
    public boolean hasTransaction(Connection connection) throws SqlFailure {
        try {
            return !callOn(connection, FIND_TRANSACTION).rows().isEmpty();
        } catch (SqlFailure e) {
            if (e.isKnownRefusal()) {
                return true;
            }
            throw e;
        }
    }

    /** Borrows a connection for longer than a statement; the caller returns it with the same settings. */
    public Connection borrow(String forStatement) throws SqlFailure {
        return connections.borrow(forStatement);
    }
}
