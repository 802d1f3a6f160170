package dev.dibs.internal.sql.run;

import dev.dibs.internal.sql.errors.SqlErrors;
import dev.dibs.internal.sql.errors.Unquoted;
import dev.dibs.internal.sql.files.ColumnInfo;
import dev.dibs.internal.sql.files.Features;
import dev.dibs.internal.sql.files.SqlText;
import dev.dibs.internal.sql.files.Statements;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Binds and runs statements on a given connection, and leaves its settings as they are. */
final class Runner {

    /** The parameter of all statements for the length of a lease. */
    private static final String LEASE = "lease";

    private final SqlErrors errors;
    private final Protocol protocol;
    private final long tolerance;
    private final Features features;
    private final String arrayType;
    /** Labels that the database has refused to store as they are. */
    private final Set<Prose> refusedLabels = ConcurrentHashMap.newKeySet();

    private final Map<List<SqlText>, SqlText> together = new ConcurrentHashMap<>();

    /**
     * For one dialect.
     *
     * @param protocol refuses tables of a later protocol
     * @param tolerance how many milliseconds longer a row is held than its holder relies on it
     */
    Runner(Statements statements, SqlErrors errors, Protocol protocol, long tolerance) {
        this.errors = errors;
        this.protocol = protocol;
        this.tolerance = tolerance;
        this.features = statements.features();
        this.arrayType = statements.fragment("array_type");
    }

    /** For the texts of one piece of work. */
    Resend resend() {
        return new Resend(refusedLabels);
    }

    /** The same for statements about a table that its owner may change at any time. */
    Resend resendForTable() {
        return resend().orStalePlan();
    }

    /** Whether all of them go in one text that is a transaction of its own; else the caller must begin one. */
    boolean isOneText(List<Call<?>> calls) {
        boolean single = calls.stream().allMatch(call -> call.steps().size() == 1 && !call.isInTransaction());
        return single && (calls.size() == 1 || features.severalInOneText());
    }

    /** The calls in turn, in one round trip if the database can. They may have been sent before, and refused. */
    Connections.Work<Boolean> inTurn(List<Call<?>> calls, Resend resend) {
        return connection -> {
            for (Call<?> call : calls) {
                resend.prepare(call.params());
                call.forget();
                protocol.require(connection, call);
            }
            if (calls.size() > 1 && isOneText(calls)) {
                runTogether(connection, calls);
            } else {
                for (Call<?> call : calls) {
                    for (SqlText step : call.steps()) {
                        if (call.goesOn(step.when())) {
                            send(connection, step, List.of(call), List.of(call));
                        }
                    }
                }
            }
            resend.accepted();
            return true;
        };
    }

    private void runTogether(Connection connection, List<Call<?>> calls) throws SQLException {
        List<SqlText> texts = calls.stream().map(call -> call.steps().get(0)).toList();
        SqlText text = together.computeIfAbsent(texts, SqlText::join);
        List<Call<?>> owners = new ArrayList<>();
        for (Call<?> call : calls) {
            owners.addAll(Collections.nCopies(call.steps().get(0).parameters().size(), call));
        }
        send(connection, text, owners, calls);
    }

    /**
     * Sends one text and reads all of its results, since it may answer with several counts and results. The last count is the first call's.
     * Under SET NOCOUNT ON there may be none, so statements whose count matters return rows there.
     *
     * @param owners have the values: one for all, or one for each parameter
     */
    private void send(Connection connection, SqlText text, List<Call<?>> owners, List<Call<?>> calls)
            throws SQLException {
        if (features.answersBeforeCommit() && text.returnsChanges() && connection.getAutoCommit()) {
            Settings.transact(connection, own -> {
                send(own, text, owners, calls);
                return calls;
            });
            return;
        }
        String key = text.key();
        try (PreparedStatement statement = key == null
                ? connection.prepareStatement(text.jdbc())
                : connection.prepareStatement(text.jdbc(), new String[] {key})) {
            for (int i = 0; i < text.parameters().size(); i++) {
                Call<?> owner = owners.get(Math.min(i, owners.size() - 1));
                bind(
                        connection,
                        statement,
                        i + 1,
                        value(owner, text.parameters().get(i)));
            }
            CallLimit limit = calls.get(0).limit();
            if (limit != null) {
                limit.begin(statement);
            }
            calls.get(0).counted(0);
            boolean isResult = statement.execute();
            while (true) {
                if (isResult) {
                    readResult(statement, calls);
                } else if (statement.getUpdateCount() < 0) {
                    return;
                } else {
                    calls.get(0).counted(statement.getUpdateCount());
                    if (key != null) {
                        readKeys(statement, calls.get(0));
                    }
                }
                isResult = statement.getMoreResults();
            }
        } catch (SQLException e) {
            throw Unquoted.error(e, text.parameters(), errors);
        } finally {
            CallLimit limit = calls.get(0).limit();
            if (limit != null) {
                limit.end();
            }
        }
    }

    /** Only here, so that every kind of lease has the tolerance. */
    private @Nullable Object value(Call<?> call, String name) {
        Object value = call.params().get(call.statement(), name);
        return name.equals(LEASE) && value instanceof Long lease ? Long.valueOf(lease + tolerance) : value;
    }

    /** There are none if nothing was changed; a driver may then return none, or fail. */
    private static void readKeys(PreparedStatement statement, Call<?> call) throws SQLException {
        if (call.changed() > 0) {
            try (ResultSet keys = statement.getGeneratedKeys()) {
                call.read(keys);
            }
        }
    }

    private static void readResult(PreparedStatement statement, List<Call<?>> calls) throws SQLException {
        try (ResultSet result = statement.getResultSet()) {
            Call<?> rest = null;
            for (Call<?> call : calls) {
                if (call.isFor(result)) {
                    call.read(result);
                    return;
                }
                rest = call.isLabelled() ? rest : call;
            }
            if (rest != null) {
                rest.read(result);
            }
        }
    }

    /** The columns that a query returns. */
    static List<ColumnInfo> columns(Connection connection, SqlText query) throws SQLException {
        List<ColumnInfo> columns = new ArrayList<>();
        try (PreparedStatement statement = connection.prepareStatement(query.jdbc());
                ResultSet result = statement.executeQuery()) {
            ResultSetMetaData shape = result.getMetaData();
            for (int i = 1; i <= shape.getColumnCount(); i++) {
                columns.add(new ColumnInfo(
                        shape.getColumnLabel(i),
                        shape.getColumnType(i),
                        shape.getColumnTypeName(i),
                        shape.getPrecision(i),
                        shape.getScale(i)));
            }
        }
        return columns;
    }

    private void bind(Connection connection, PreparedStatement statement, int index, @Nullable Object value)
            throws SQLException {
        if (value instanceof Long number) {
            statement.setLong(index, number);
        } else if (value instanceof byte[] bytes) {
            statement.setBytes(index, bytes);
        } else if (value instanceof Long[] list) {
            statement.setArray(index, connection.createArrayOf("bigint", list));
        } else if (value instanceof String[] list) {
            statement.setArray(index, connection.createArrayOf(arrayType, list));
        } else {
            bindText(statement, index, text(value));
        }
    }

    private static @Nullable String text(@Nullable Object value) {
        if (value instanceof JsonRows list) {
            return list.toJson();
        }
        return value instanceof Prose prose ? prose.text() : (String) value;
    }

    /** A driver may be set to send plain strings in a code page; two names could then become the same "??". */
    private void bindText(PreparedStatement statement, int index, @Nullable String text) throws SQLException {
        if (features.nationalText()) {
            statement.setNString(index, text);
        } else {
            statement.setString(index, text);
        }
    }
}
