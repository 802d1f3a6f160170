package dev.dibs.internal.sql.call;

import dev.dibs.internal.sql.errors.SqlErrors;
import dev.dibs.internal.sql.errors.SqlErrors.Asked;
import dev.dibs.internal.sql.files.ColumnInfo;
import dev.dibs.internal.sql.files.Features;
import dev.dibs.internal.sql.files.PreparedSql;
import dev.dibs.internal.sql.files.Statements;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** What all calls of one dialect share: how values are bound, which texts go together, what was checked before. */
final class Runner {

    private static final int MOST_LABELS = 100;

    final SqlErrors errors;
    final Protocol protocol;
    private final long tolerance;
    private final Features features;
    private final String arrayType;
    /** Labels that the database has refused to store as they are. They are in ASCII from the beginning. */
    private final Set<Label> refusedLabels = ConcurrentHashMap.newKeySet();

    private final Map<List<PreparedSql>, PreparedSql> together = new ConcurrentHashMap<>();

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

    /** The database has accepted these texts only in ASCII. */
    void remember(List<Label> texts) {
        for (Label text : texts) {
            if (text.isLabel() && !text.isAscii() && refusedLabels.size() < MOST_LABELS) {
                refusedLabels.add(text);
            }
        }
    }

    /** Whether all of them go in one text that is a transaction of its own; else the caller must begin one. */
    boolean isOneText(List<Call<?>> calls) {
        boolean single = calls.stream().allMatch(call -> call.steps().size() == 1 && !call.isInTransaction());
        return single && (calls.size() == 1 || features.severalInOneText());
    }

    /** What an error of a text has answered, if the text is not part of a transaction. */
    Asked asked(PreparedSql text) {
        if (features.severalInOneText() || !text.isSeveral()) {
            return Asked.STATEMENT;
        }
        return text.commits() ? Asked.BLOCK : Asked.SEVERAL;
    }

    PreparedSql join(List<Call<?>> calls) {
        List<PreparedSql> texts =
                calls.stream().map(call -> call.steps().get(0).text()).toList();
        return together.computeIfAbsent(texts, PreparedSql::join);
    }

    static List<ColumnInfo> columns(Connection connection, PreparedSql query) throws SQLException {
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
                        shape.getScale(i),
                        shape.isNullable(i) != ResultSetMetaData.columnNoNulls));
            }
        }
        return columns;
    }

    /**
     * Binds one value of a call. Every kind of lease has the tolerance, since only this place adds it. Returns whether it is a text for
     * people that the database may be unable to store.
     */
    boolean bind(Connection connection, PreparedStatement statement, int index, Call<?> call, int slot, boolean inAscii)
            throws SQLException {
        Object value = call.value(slot);
        boolean isForeign = false;
        if (value instanceof String text) {
            bindText(statement, index, text);
        } else if (value instanceof Number number) {
            long bound = number.longValue();
            statement.setLong(index, call.isLease(slot) ? bound + tolerance : bound);
        } else if (value instanceof Label text) {
            isForeign = !inAscii && !text.isAscii() && !refusedLabels.contains(text);
            bindText(statement, index, isForeign ? text.text() : text.inAscii());
        } else if (value instanceof byte[] bytes) {
            statement.setBytes(index, bytes);
        } else if (value instanceof byte[][] list) {
            statement.setArray(index, connection.createArrayOf("varbinary", list));
        } else if (value instanceof Long[] list) {
            statement.setArray(index, connection.createArrayOf("bigint", list));
        } else if (value instanceof String[] list) {
            statement.setArray(index, connection.createArrayOf(arrayType, list));
        } else {
            bindText(statement, index, value == null ? null : ((JsonRows) value).toJson());
        }
        return isForeign;
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
