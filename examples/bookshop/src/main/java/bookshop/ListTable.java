package bookshop;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Optional;
import javax.sql.DataSource;

/** The table of lists. */
final class ListTable {

    private ListTable() {}

    /** Returns empty if there is no such list yet. */
    static Optional<String> get(DataSource dataSource, String name) throws SQLException {
        try (Connection connection = dataSource.getConnection();
                PreparedStatement select = connection.prepareStatement("SELECT body FROM list WHERE name = ?")) {
            select.setString(1, name);
            try (ResultSet row = select.executeQuery()) {
                return row.next() ? Optional.of(row.getString(1)) : Optional.empty();
            }
        }
    }

    /** Not for simultaneous callers. */
    static void put(Connection connection, String name, String body) throws SQLException {
        if (execute(connection, "UPDATE list SET body = ? WHERE name = ?", body, name) == 0) {
            int rows = execute(connection, "INSERT INTO list (body, name) VALUES (?, ?)", body, name);
            assert rows == 1;
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
