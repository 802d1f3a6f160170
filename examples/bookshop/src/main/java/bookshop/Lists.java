package bookshop;

import dev.dibs.ValueStore;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Optional;
import javax.sql.DataSource;

/** The lists that are shown, in a table, so that every node shows the same ones. */
final class Lists implements ValueStore<String> {

    private final DataSource dataSource;

    Lists(DataSource dataSource) {
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

    /** One at a time: whoever is making it. */
    @Override
    public void put(String name, String body) {
        try (Connection connection = dataSource.getConnection()) {
            if (execute(connection, "UPDATE list SET body = ? WHERE name = ?", body, name) == 0) {
                int rows = execute(connection, "INSERT INTO list (body, name) VALUES (?, ?)", body, name);
                assert rows == 1;
            }
        } catch (SQLException e) {
            throw new IllegalStateException("the list can not be written", e);
        }
    }

    private static int execute(Connection connection, String sql, String body, String name) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setString(1, body);
            statement.setString(2, name);
            return statement.executeUpdate();
        }
    }
}
