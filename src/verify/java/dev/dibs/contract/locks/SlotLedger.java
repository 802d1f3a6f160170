package dev.dibs.contract.locks;

import static org.assertj.core.api.Assertions.assertThat;

import dev.dibs.Permit;
import dev.dibs.database.Sql;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import javax.sql.DataSource;

/**
 * A table of the holders of a semaphore's slots. A new holder replaces the entry before it; a holder that leaves must still find its own.
 * Only the entry of a killed process is replaced. Whether a slot was taken over is not always known, as when the acquire that took it was
 * given up.
 */
record SlotLedger(String table) {

    void make(DataSource dataSource) throws SQLException {
        Sql.on(dataSource)
                .run("CREATE TABLE " + table + " (slot int NOT NULL, fence bigint NOT NULL, inside int NOT NULL,"
                        + " PRIMARY KEY (slot, fence))");
    }

    void drop(DataSource dataSource) throws SQLException {
        Sql.on(dataSource).run("DROP TABLE " + table);
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
        return Sql.on(dataSource).number("SELECT count(*) FROM " + table);
    }

    private static List<Long> numbers(Connection connection, String sql, Permit lease) throws SQLException {
        return Sql.on(connection).numbers(sql, lease.slot());
    }

    private static int update(Connection connection, String sql, long slot, long fence) throws SQLException {
        return Sql.on(connection).change(sql, slot, fence);
    }
}
