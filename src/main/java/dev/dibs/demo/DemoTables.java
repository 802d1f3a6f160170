package dev.dibs.demo;

import dev.dibs.Dialect;
import dev.dibs.demo.Artifacts.Directory;
import dev.dibs.sql.Products;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Makes the tables of one run, Dibs' own among them, and removes them all. */
final class DemoTables {

    /** More than all workers can go through while the frontier is read and drawn. */
    private static final int IN_HANDS = 30;

    private final Store store;
    private final String prefix;

    /**
     * For one run.
     *
     * @param prefix what all its tables' names begin with, and nobody else's
     */
    DemoTables(Store store, String prefix) {
        this.store = store;
        this.prefix = prefix;
    }

    void create() throws SQLException {
        try (Connection connection = store.dataSource().getConnection();
                Statement statement = connection.createStatement()) {
            Dialect dialect =
                    Dialect.named(Products.detect(connection.getMetaData()).name());
            for (String text : dialect.ddl(prefix).split(";\n", -1)) {
                if (!text.isBlank()) {
                    statement.execute(text);
                }
            }
            for (String text : store.sql().creating()) {
                statement.execute(text);
            }
        }
    }

    /** Lists the directories, numbered from 1 in their order. */
    void fill(List<Directory> directories) throws SQLException {
        try (Connection connection = store.dataSource().getConnection();
                PreparedStatement statement =
                        connection.prepareStatement(store.sql().text("add_directory"))) {
            connection.setAutoCommit(false);
            for (int i = 0; i < directories.size(); i++) {
                Directory directory = directories.get(i);
                statement.setInt(1, i + 1);
                statement.setString(2, directory.path());
                statement.setLong(3, directory.jars());
                statement.addBatch();
            }
            statement.executeBatch();
            connection.commit();
            connection.setAutoCommit(true);
        }
    }

    /**
     * Ends the handing out, for all but the next few directories: one of them may be in somebody's hands just now.
     *
     * @return how many directories are left out
     */
    int leaveOutTheRest() throws SQLException {
        int frontier = store.query("find_frontier", row -> row.getInt(1)).get(0);
        store.update("leave_out", frontier + IN_HANDS);
        return store.query("count_left_out", row -> row.getInt(1)).get(0);
    }

    /** Removes every table that begins with the prefix. */
    void drop() throws SQLException {
        try (Connection connection = store.dataSource().getConnection();
                Statement statement = connection.createStatement()) {
            for (String table : mine(connection)) {
                statement.execute(store.sql().text("drop_table").replace("{table}", table));
            }
        }
    }

    /** The prefix has a random part, so that whatever begins with it is of this run; databases differ in the case. */
    private List<String> mine(Connection connection) throws SQLException {
        DatabaseMetaData meta = connection.getMetaData();
        List<String> tables = new ArrayList<>();
        try (ResultSet rows = meta.getTables(
                connection.getCatalog(), connection.getSchema(), null, new String[] {"TABLE", "BASE TABLE"})) {
            while (rows.next()) {
                String table = rows.getString("TABLE_NAME");
                if (table.toLowerCase(Locale.ROOT).startsWith(prefix)) {
                    tables.add(table);
                }
            }
        }
        return tables;
    }
}
