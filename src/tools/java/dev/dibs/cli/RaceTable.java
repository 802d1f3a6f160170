package dev.dibs.cli;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A scratch table to race on: the statements of {@code race.sql}, each on the connection of one racer. */
final class RaceTable {

    private static final Pattern STATEMENT = Pattern.compile("(?ms)^-- name: (\\w+)\\n(?:--[^\\n]*\\n)*(.*?);$");

    private final Map<String, String> statements = new LinkedHashMap<>();
    private final String name;

    /** One that is not there yet. */
    RaceTable(String prefix) {
        name = prefix + "race_" + UUID.randomUUID().toString().substring(0, 8);
        Matcher statement = STATEMENT.matcher(text().replace("{table}", name));
        while (statement.find()) {
            statements.put(statement.group(1), statement.group(2));
        }
    }

    private static String text() {
        try (InputStream in = RaceTable.class.getResourceAsStream("race.sql")) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8).replace("\r\n", "\n");
        } catch (IOException e) {
            throw new UncheckedIOException("the jar is incomplete: race.sql", e);
        }
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

    /** Returns whether a row was added, as told by the count. */
    boolean insert(Connection connection, long id) throws SQLException {
        return change(connection, "insert_row", id);
    }

    /** Returns whether a row was changed, as told by the count. */
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
