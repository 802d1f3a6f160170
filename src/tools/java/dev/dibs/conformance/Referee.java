package dev.dibs.conformance;

import dev.dibs.Dibs;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Looks at the tables, over connections that no client can cut. */
final class Referee {

    private static final String PURPOSE = "conformance";

    /** A lock as the table has it. */
    record Row(@Nullable String owner, long fence, long acquiredAt, long heldUntil) {}

    private final DataSource dataSource;
    private final Dibs dibs;
    private final String locks;
    private final String counter;

    /**
     * Over one database.
     *
     * @param prefix what stands before the name of every table
     */
    Referee(DataSource dataSource, Dibs dibs, String prefix) {
        this.dataSource = dataSource;
        this.dibs = dibs;
        this.locks = prefix + "lock";
        this.counter = prefix + "conformance";
    }

    /** The table in which clients count: one row, whose id is 1, with a number n. */
    String counterTable() {
        return counter;
    }

    void makeCounter() throws SQLException {
        dropCounter();
        update("CREATE TABLE " + counter + " (id bigint NOT NULL PRIMARY KEY, n bigint NOT NULL)");
        update("INSERT INTO " + counter + " (id, n) VALUES (1, 0)");
    }

    void dropCounter() throws SQLException {
        update("DROP TABLE IF EXISTS " + counter);
    }

    private void update(String sql) throws SQLException {
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement()) {
            statement.executeUpdate(sql);
        }
    }

    long count() throws SQLException {
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("SELECT n FROM " + counter + " WHERE id = 1")) {
            rows.next();
            return rows.getLong(1);
        }
    }

    Row row(String name) throws SQLException, CheckFailed {
        String sql = "SELECT name, owner, fence, acquired_at, held_until FROM " + locks + " WHERE name = ?";
        try (Connection connection = dataSource.getConnection();
                PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setString(1, name);
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    if (rows.getString("name").equals(name)) {
                        return new Row(
                                rows.getString("owner"),
                                rows.getLong("fence"),
                                rows.getLong("acquired_at"),
                                rows.getLong("held_until"));
                    }
                }
            }
        }
        throw new CheckFailed("there is no row named '" + name + "' in " + locks);
    }

    void breakLock(String name) throws CheckFailed {
        CheckFailed.unless(dibs.admin().breakLock(name).isPresent(), "nobody had the lock '" + name + "'");
    }

    String purpose() {
        return PURPOSE;
    }

    String issueToken() {
        return dibs.tokens(PURPOSE).issue("somebody", Duration.ofMinutes(10));
    }

    boolean consume(String token) {
        return dibs.tokens(PURPOSE).consume(token).isOk();
    }
}
