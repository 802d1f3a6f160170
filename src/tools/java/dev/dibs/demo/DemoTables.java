package dev.dibs.demo;

import dev.dibs.Dialect;
import dev.dibs.internal.sql.files.Products;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Creates the tables of one run, with those of Dibs, and removes them all. */
final class DemoTables {

    /** A quarter of the files come before it, so that it has failed for good before the end. */
    private static final int PLANTED_AFTER = 4;

    private final Store store;
    private final String prefix;

    /**
     * For one run.
     *
     * @param prefix the prefix of all its tables, and of no others
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

    /** Lists the files, numbered from 1 in their order, with the planted one among them. */
    void fill(List<String> paths, String planted) throws SQLException {
        List<String> all = new ArrayList<>(paths);
        all.add(paths.size() / PLANTED_AFTER, planted);
        try (Connection connection = store.dataSource().getConnection();
                PreparedStatement statement =
                        connection.prepareStatement(store.sql().text("add_file"))) {
            connection.setAutoCommit(false);
            for (int i = 0; i < all.size(); i++) {
                statement.setLong(1, i + 1L);
                statement.setString(2, all.get(i));
                statement.setInt(3, all.get(i).equals(planted) ? 1 : 0);
                statement.addBatch();
            }
            statement.executeBatch();
            connection.commit();
            connection.setAutoCommit(true);
        }
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

    /** The prefix has a random part, so every table with it belongs to this run; databases differ in the case. */
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
