package dev.dibs.contract.locks;

import static org.assertj.core.api.Assertions.assertThat;

import dev.dibs.Permit;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;

/**
 * A table of the holders of a semaphore's slots. A new holder replaces the entry before it; a holder that leaves must still find its own.
 * Only the entry of a killed process is replaced. Whether a slot was taken over is not always known, as when the acquire that took it was
 * given up.
 */
record SlotLedger(String table) {

    void make(DataSource dataSource) throws SQLException {
        execute(
                dataSource,
                "CREATE TABLE " + table + " (slot int NOT NULL, fence bigint NOT NULL, inside int NOT NULL,"
                        + " PRIMARY KEY (slot, fence))");
    }

    void drop(DataSource dataSource) throws SQLException {
        execute(dataSource, "DROP TABLE " + table);
    }

    private static void execute(DataSource dataSource, String sql) throws SQLException {
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    void enter(DataSource dataSource, Permit lease, int permits) throws SQLException {
        try (Connection connection = dataSource.getConnection()) {
            List<Long> inside =
                    numbers(connection, "SELECT fence FROM " + table + " WHERE inside = 1 AND slot = ?", lease);
            if (!inside.isEmpty()) {
                assertThat(inside).hasSize(1);
                // The entry of a killed process; a living one will find that its entry is gone.
                assertThat(update(
                                connection,
                                "UPDATE " + table + " SET inside = 0 WHERE slot = ? AND fence = ?",
                                lease.slot(),
                                inside.get(0)))
                        .isEqualTo(1);
            }
            assertThat(numbers(connection, "SELECT coalesce(max(fence), 0) FROM " + table + " WHERE slot = ?", lease)
                            .get(0))
                    .as("fences grow")
                    .isLessThan(lease.fencingToken());
            update(
                    connection,
                    "INSERT INTO " + table + " (slot, fence, inside) VALUES (?, ?, 1)",
                    lease.slot(),
                    lease.fencingToken());
            assertThat(numbers(connection, "SELECT count(*) FROM " + table + " WHERE inside = 1 AND slot <> ?", lease)
                            .get(0))
                    .as("besides this one")
                    .isLessThan(permits);
        }
    }

    void leave(DataSource dataSource, Permit lease) throws SQLException {
        try (Connection connection = dataSource.getConnection()) {
            assertThat(update(
                            connection,
                            "UPDATE " + table + " SET inside = 0 WHERE slot = ? AND fence = ? AND inside = 1",
                            lease.slot(),
                            lease.fencingToken()))
                    .as("somebody else came in")
                    .isEqualTo(1);
        }
    }

    long entries(DataSource dataSource) throws SQLException {
        try (Connection connection = dataSource.getConnection();
                Statement select = connection.createStatement();
                ResultSet row = select.executeQuery("SELECT count(*) FROM " + table)) {
            row.next();
            return row.getLong(1);
        }
    }

    private static List<Long> numbers(Connection connection, String sql, Permit lease) throws SQLException {
        List<Long> numbers = new ArrayList<>();
        try (PreparedStatement select = connection.prepareStatement(sql)) {
            select.setLong(1, lease.slot());
            try (ResultSet row = select.executeQuery()) {
                while (row.next()) {
                    numbers.add(row.getLong(1));
                }
            }
        }
        return numbers;
    }

    private static int update(Connection connection, String sql, long slot, long fence) throws SQLException {
        try (PreparedStatement update = connection.prepareStatement(sql)) {
            update.setLong(1, slot);
            update.setLong(2, fence);
            return update.executeUpdate();
        }
    }
}
