package dev.dibs.examples;

import dev.dibs.ValueStore;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Optional;
import javax.sql.DataSource;

/** The lists that are shown, in a table of the application, so that every node shows the same ones. */
final class ListTable implements ValueStore<String> {

    private final DataSource dataSource;

    ListTable(DataSource dataSource) {
        this.dataSource = dataSource;
    }

    @Override
    public Optional<String> get(String name) {
        try (Connection connection = dataSource.getConnection();
                PreparedStatement select = connection.prepareStatement("SELECT body FROM list WHERE name = ?")) {
            select.setString(1, name);
            try (ResultSet row = select.executeQuery()) {
                return row.next() ? Optional.of(row.getString(1)) : Optional.empty();
            }
        } catch (SQLException e) {
            throw new IllegalStateException("the list can not be read", e);
        }
    }

    @Override
    public void put(String name, String body) {
        try (Connection connection = dataSource.getConnection()) {
            put(connection, name, body);
        } catch (SQLException e) {
            throw new IllegalStateException("the list can not be written", e);
        }
    }

    /** One at a time: whoever has the lease. */
    static void put(Connection connection, String name, String body) throws SQLException {
        if (!execute(connection, "UPDATE list SET body = ? WHERE name = ?", body, name)) {
            execute(connection, "INSERT INTO list (body, name) VALUES (?, ?)", body, name);
        }
    }

    private static boolean execute(Connection connection, String sql, String body, String name) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setString(1, body);
            statement.setString(2, name);
            return statement.executeUpdate() > 0;
        }
    }
}
