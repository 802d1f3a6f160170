package dev.dibs.database;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import javax.sql.DataSource;

/**
 * The statements that a test sends itself, to arrange rows and to look at them. Over a data source, each call has a connection of its own;
 * the values go in place of the question marks.
 */
public final class Sql {
    private final Lender lender;

    private Sql(Lender lender) {
        this.lender = lender;
    }

    public static Sql on(DataSource dataSource) {
        return new Sql(new Lender() {
            @Override
            public <T> T lend(Work<T> work) throws SQLException {
                try (Connection connection = dataSource.getConnection()) {
                    return work.with(connection);
                }
            }
        });
    }

    /** Statements of the connection's transaction; it stays open. */
    public static Sql on(Connection connection) {
        return new Sql(new Lender() {
            @Override
            public <T> T lend(Work<T> work) throws SQLException {
                return work.with(connection);
            }
        });
    }

    private interface Work<T> {
        T with(Connection connection) throws SQLException;
    }

    private interface Lender {
        <T> T lend(Work<T> work) throws SQLException;
    }

    /** Reads one row of a result. */
    public interface Reading<T> {
        T read(ResultSet row) throws SQLException;
    }

    /** Executes them all on one connection, exactly as they are. */
    public void run(String... statements) throws SQLException {
        lender.lend(connection -> {
            try (Statement statement = connection.createStatement()) {
                for (String sql : statements) {
                    statement.execute(sql);
                }
            }
            return statements.length;
        });
    }

    /** How many rows it changed. */
    public int change(String sql, Object... values) throws SQLException {
        return lender.lend(connection -> {
            try (PreparedStatement statement = connection.prepareStatement(sql)) {
                bind(statement, values);
                return statement.executeUpdate();
            }
        });
    }

    public <T> List<T> rows(Reading<T> reading, String sql, Object... values) throws SQLException {
        return lender.lend(connection -> {
            List<T> found = new ArrayList<>();
            try (PreparedStatement statement = connection.prepareStatement(sql)) {
                bind(statement, values);
                try (ResultSet row = statement.executeQuery()) {
                    while (row.next()) {
                        found.add(reading.read(row));
                    }
                }
            }
            return found;
        });
    }

    /** The first column of each row. */
    public List<Long> numbers(String sql, Object... values) throws SQLException {
        return rows(row -> row.getLong(1), sql, values);
    }

    /** The first column of each row. */
    public List<String> texts(String sql, Object... values) throws SQLException {
        return rows(row -> row.getString(1), sql, values);
    }

    /** All columns of each row, as texts. */
    public List<String> wholeRows(String sql, Object... values) throws SQLException {
        return rows(
                row -> {
                    StringBuilder text = new StringBuilder();
                    for (int column = 1; column <= row.getMetaData().getColumnCount(); column++) {
                        text.append(row.getString(column)).append(' ');
                    }
                    return text.toString();
                },
                sql,
                values);
    }

    /** The first column of the first row, of which there must be one. */
    public long number(String sql, Object... values) throws SQLException {
        return numbers(sql, values).get(0);
    }

    /** The first column of the first row, of which there must be one. */
    public String text(String sql, Object... values) throws SQLException {
        return texts(sql, values).get(0);
    }

    /** Whether there is such a row. */
    public boolean finds(String sql, Object... values) throws SQLException {
        return !rows(row -> true, sql, values).isEmpty();
    }

    /** The schema of a table that is named without one; the database where databases are schemas. */
    public String schema() throws SQLException {
        return lender.lend(connection -> Objects.requireNonNullElse(connection.getSchema(), connection.getCatalog()));
    }

    /** A name that was not quoted, as the database has it. */
    public String stored(String name) throws SQLException {
        return lender.lend(connection ->
                connection.getMetaData().storesUpperCaseIdentifiers() ? name.toUpperCase(Locale.ROOT) : name);
    }

    private static void bind(PreparedStatement statement, Object... values) throws SQLException {
        for (int i = 0; i < values.length; i++) {
            statement.setObject(i + 1, values[i]);
        }
    }
}
