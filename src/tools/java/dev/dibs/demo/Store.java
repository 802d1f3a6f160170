package dev.dibs.demo;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Runs the demo's statements, each as a transaction of its own or in a given one.
 *
 * @param dataSource the database
 * @param sql their texts
 */
record Store(DataSource dataSource, DemoSql sql) {

    private static final int ALL = 0;

    /** Reads the current row of a result set. */
    interface Row<T> {
        T read(ResultSet row) throws SQLException;
    }

    void update(String name, @Nullable Object... values) throws SQLException {
        try (Connection connection = dataSource.getConnection()) {
            update(connection, name, values);
        }
    }

    void update(Connection connection, String name, @Nullable Object... values) throws SQLException {
        try (PreparedStatement statement = prepare(connection, name, values)) {
            statement.executeUpdate();
        }
    }

    <T> List<T> query(String name, Row<T> row, @Nullable Object... values) throws SQLException {
        return queryFirst(name, ALL, row, values);
    }

    /** Reads at most this many rows. */
    <T> List<T> queryFirst(String name, int most, Row<T> row, @Nullable Object... values) throws SQLException {
        try (Connection connection = dataSource.getConnection();
                PreparedStatement statement = prepare(connection, name, values)) {
            statement.setMaxRows(most);
            List<T> rows = new ArrayList<>();
            try (ResultSet result = statement.executeQuery()) {
                while (result.next()) {
                    rows.add(row.read(result));
                }
            }
            return rows;
        }
    }

    private PreparedStatement prepare(Connection connection, String name, @Nullable Object... values)
            throws SQLException {
        PreparedStatement statement = connection.prepareStatement(sql.text(name));
        for (int i = 0; i < values.length; i++) {
            statement.setObject(i + 1, values[i]);
        }
        return statement;
    }
}
