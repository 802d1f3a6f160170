package dev.dibs.sql;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Binds and runs statements on a given connection; touches none of its settings. */
final class Runner {

    private final Statements statements;
    private final boolean nationalText;
    private final String arrayType;

    Runner(Statements statements) {
        this.statements = statements;
        this.nationalText = statements.fragment("text").equals("national");
        this.arrayType = statements.fragment("array_type");
    }

    /**
     * Runs the steps in turn, on one connection, until they are through or a row settles the question.
     *
     * @param settles whether nothing after this row needs to be asked
     */
    <T> Answer<T> run(
            Connection connection, String name, Params params, RowReader<T> reader, Predicate<? super T> settles)
            throws SQLException {
        List<T> rows = new ArrayList<>();
        long changed = 0;
        for (SqlText step : statements.steps(name)) {
            if (step.onlyIfEmpty() && !rows.isEmpty()) {
                continue;
            }
            changed = runStep(connection, name, step, params, reader, rows);
            if (rows.stream().anyMatch(settles)) {
                break;
            }
        }
        return new Answer<>(rows, changed);
    }

    Set<String> columns(Connection connection, String name) throws SQLException {
        Set<String> columns = new HashSet<>();
        try (PreparedStatement statement = connection.prepareStatement(
                        statements.steps(name).get(0).jdbc());
                ResultSet result = statement.executeQuery()) {
            ResultSetMetaData shape = result.getMetaData();
            for (int i = 1; i <= shape.getColumnCount(); i++) {
                columns.add(shape.getColumnLabel(i).toLowerCase(Locale.ROOT));
            }
        }
        return columns;
    }

    private <T> long runStep(
            Connection connection, String name, SqlText step, Params params, RowReader<T> reader, List<T> rows)
            throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(step.jdbc())) {
            for (int i = 0; i < step.parameters().size(); i++) {
                bind(
                        connection,
                        statement,
                        i + 1,
                        params.get(name, step.parameters().get(i)));
            }
            return read(statement, reader, rows);
        }
    }

    private void bind(Connection connection, PreparedStatement statement, int index, @Nullable Object value)
            throws SQLException {
        if (value instanceof Long number) {
            statement.setLong(index, number);
        } else if (value instanceof String[] list) {
            statement.setArray(index, connection.createArrayOf(arrayType, list));
        } else {
            bindText(statement, index, value instanceof JsonPairs pairs ? pairs.toJson() : (String) value);
        }
    }

    /** A driver may be told to send plain strings in a code page; then two names could meet as the same "??". */
    private void bindText(PreparedStatement statement, int index, @Nullable String text) throws SQLException {
        if (nationalText) {
            statement.setNString(index, text);
        } else {
            statement.setString(index, text);
        }
    }

    /**
     * Adds the rows of all results, since a batch answers with several counts and results.
     *
     * @return the last update count; under SET NOCOUNT ON there may be none, so statements that matter return rows there
     */
    private static <T> long read(PreparedStatement statement, RowReader<T> reader, List<T> rows) throws SQLException {
        long changed = 0;
        boolean isResult = statement.execute();
        while (true) {
            if (isResult) {
                readRows(statement, reader, rows);
            } else {
                int count = statement.getUpdateCount();
                if (count < 0) {
                    return changed;
                }
                changed = count;
            }
            isResult = statement.getMoreResults();
        }
    }

    private static <T> void readRows(PreparedStatement statement, RowReader<T> reader, List<T> rows)
            throws SQLException {
        try (ResultSet result = statement.getResultSet()) {
            while (result.next()) {
                rows.add(reader.read(result));
            }
        }
    }
}
