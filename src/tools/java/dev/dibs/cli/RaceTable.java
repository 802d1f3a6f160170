package dev.dibs.cli;

import dev.dibs.internal.sql.files.SqlName;
import dev.dibs.internal.sql.files.StatementFile;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import java.util.UUID;

/** A scratch table for the race: the statements of {@code race.sql}, each on the connection of one racer. */
final class RaceTable {

    private final Map<String, String> statements;
    private final String name;

    /**
     * For a table that does not exist yet.
     *
     * @param quote the quotation mark of the database for names
     */
    RaceTable(String prefix, String quote) {
        name = SqlName.table(prefix + "race_" + UUID.randomUUID().toString().substring(0, 8), quote);
        statements = StatementFile.texts(RaceTable.class, "race.sql", Map.of("table", name));
    }

    String name() {
        return name;
    }

    void create(Connection connection) throws SQLException {
        execute(connection, "create_table");
    }

    void drop(Connection connection) throws SQLException {
        execute(connection, "drop_table");
    }

    private void execute(Connection connection, String what) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(statements.get(what));
        }
    }

    /** Returns whether a row was added, by the update count. */
    boolean insert(Connection connection, long id) throws SQLException {
        return change(connection, "insert_row", id);
    }

    /** Returns whether a row was changed, by the update count. */
    boolean update(Connection connection, long id) throws SQLException {
        return change(connection, "update_row", id);
    }

    private boolean change(Connection connection, String what, long id) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(statements.get(what))) {
            statement.setLong(1, id);
            return statement.executeUpdate() == 1;
        }
    }

    /** Returns whether the row was changed, as a later reader sees it. */
    boolean isChanged(Connection connection, long id) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(statements.get("look_at_row"))) {
            statement.setLong(1, id);
            try (ResultSet row = statement.executeQuery()) {
                return row.next() && row.getLong(1) != 0;
            }
        }
    }
}
