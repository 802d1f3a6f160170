package dev.dibs.contract.locks;

import static org.assertj.core.api.Assertions.assertThat;

import dev.dibs.database.Sql;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.TreeMap;
import javax.sql.DataSource;

/**
 * Two tables that record who holds the lock. A process records itself first and then looks for others, so that of two that should not meet,
 * the later one sees it. A writer's entry is numbered; a reader's has the number of the last writer's.
 */
record SharedLedger(String table) {

    private static final int OVERLAP = 9;

    void make(DataSource dataSource) throws SQLException {
        Sql.on(dataSource)
                .run("CREATE TABLE " + table + " (num bigint NOT NULL, writer int NOT NULL, fence bigint NOT NULL)");
        Sql.on(dataSource)
                .run("CREATE TABLE " + table
                        + "_in (id varchar(60) NOT NULL PRIMARY KEY, writer int NOT NULL, process int NOT NULL)");
    }

    void drop(DataSource dataSource) throws SQLException {
        Sql.on(dataSource).run("DROP TABLE " + table);
        Sql.on(dataSource).run("DROP TABLE " + table + "_in");
    }

    /** The process was killed, at any point. */
    void forget(DataSource dataSource, int process) throws SQLException {
        Sql.on(dataSource).run("DELETE FROM " + table + "_in WHERE process = " + process);
    }

    void in(DataSource dataSource, String id, int process, boolean writes, long fence) throws SQLException {
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement()) {
            statement.executeUpdate(
                    "INSERT INTO " + table + "_in VALUES ('" + id + "', " + (writes ? 1 : 0) + ", " + process + ")");
            long others = number(
                    statement,
                    "SELECT count(*) FROM " + table + "_in WHERE id <> '" + id + "'"
                            + (writes ? "" : " AND writer = 1"));
            long last = number(statement, "SELECT coalesce(max(num), 0) FROM " + table + " WHERE writer = 1");
            int kind = others > 0 ? OVERLAP : writes ? 1 : 0;
            statement.executeUpdate("INSERT INTO " + table + " VALUES (" + (writes ? last + 1 : last) + ", " + kind
                    + ", " + fence + ")");
        }
    }

    void out(DataSource dataSource, String id) throws SQLException {
        Sql.on(dataSource).run("DELETE FROM " + table + "_in WHERE id = '" + id + "'");
    }

    /** No process has met another one, and the fences are in the order of the entries. */
    void check(DataSource dataSource) throws SQLException {
        TreeMap<Long, Long> writers = new TreeMap<>();
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement()) {
            assertThat(number(statement, "SELECT count(*) FROM " + table + " WHERE writer = " + OVERLAP))
                    .as("overlaps")
                    .isZero();
            try (ResultSet row = statement.executeQuery(
                    "SELECT num, fence FROM " + table + " WHERE writer = 1 ORDER BY num, fence")) {
                long last = 0;
                while (row.next()) {
                    assertThat(writers.put(row.getLong(1), row.getLong(2)))
                            .as("two wrote at a time")
                            .isNull();
                    assertThat(row.getLong(2)).as("fences grow").isGreaterThan(last);
                    last = row.getLong(2);
                }
            }
        }
        try (Connection connection = dataSource.getConnection();
                PreparedStatement select =
                        connection.prepareStatement("SELECT num, fence FROM " + table + " WHERE writer = 0");
                ResultSet row = select.executeQuery()) {
            while (row.next()) {
                long fence = row.getLong(2);
                assertThat(fence)
                        .as("a reader's number")
                        .isGreaterThanOrEqualTo(writers.getOrDefault(row.getLong(1), 0L));
                Long next = writers.get(row.getLong(1) + 1);
                assertThat(next == null || fence < next)
                        .as("a reader's number is below the next writer's")
                        .isTrue();
            }
        }
    }

    private static long number(Statement statement, String query) throws SQLException {
        try (ResultSet row = statement.executeQuery(query)) {
            row.next();
            return row.getLong(1);
        }
    }
}
