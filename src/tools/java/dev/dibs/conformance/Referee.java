package dev.dibs.conformance;

import dev.dibs.Dibs;
import dev.dibs.Lease;
import dev.dibs.LeaseLostException;
import dev.dibs.internal.sql.files.DialectFolder;
import dev.dibs.internal.sql.files.Statements;
import dev.dibs.statements.OwnStatements;
import dev.dibs.statements.Placeholders;
import dev.dibs.statements.StatementText;
import dev.dibs.statements.StatementTexts;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Looks at the tables, over connections that no client can cut. */
final class Referee {

    private static final String PURPOSE = "conformance";

    /** A lock as the table has it. */
    record Row(@Nullable String owner, long fence, long acquiredAt, long heldUntil) {}

    private final DataSource dataSource;
    private final Dibs dibs;
    private final StatementText.Step look;
    private final String counter;
    private final Map<String, String> statements;

    /**
     * Over one database.
     *
     * @param prefix the beginning of every table's name
     */
    Referee(DataSource dataSource, Dibs dibs, String prefix) {
        this.dataSource = dataSource;
        this.dibs = dibs;
        DialectFolder dialect = DialectFolder.named(dibs.dialect().name());
        String quoted = Statements.load(dialect, prefix).fragment("prefix");
        this.look = StatementTexts.of(dialect, prefix, Placeholders.QUESTION).stream()
                .filter(statement -> statement.name().equals("look_lock"))
                .findFirst()
                .orElseThrow()
                .steps()
                .get(0);
        this.counter = quoted + "conformance_" + UUID.randomUUID().toString().substring(0, 8);
        this.statements = OwnStatements.read(
                Referee.class, "conformance.sql", Map.of("table", counter, "locks", quoted + "lock"));
    }

    /** A table of so many rows that are to be done, and are claimed for so long. */
    ClaimRows rows(int count, Duration lease) throws SQLException {
        return new ClaimRows(dataSource, dibs, counter, count, lease);
    }

    /** The table in which clients count: one row, whose id is 1, with a number n. */
    String counterTable() {
        return counter;
    }

    void makeCounter() throws SQLException {
        update("create_counter");
        update("insert_counter");
    }

    void dropCounter() throws SQLException {
        update("drop_counter");
    }

    private void update(String name) throws SQLException {
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement()) {
            statement.executeUpdate(statements.get(name));
        }
    }

    long count() throws SQLException {
        try (Connection connection = dataSource.getConnection()) {
            return count(connection);
        }
    }

    private long count(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(statements.get("read_counter"))) {
            rows.next();
            return rows.getLong(1);
        }
    }

    Row row(String name) throws SQLException, CheckFailed {
        return find(name).orElseThrow(() -> new CheckFailed("there is no row for the lock '" + name + "'"));
    }

    /** The row of a lock; empty if it was never acquired. */
    Optional<Row> find(String name) throws SQLException {
        try (Connection connection = dataSource.getConnection();
                PreparedStatement statement = connection.prepareStatement(look.sql())) {
            // It has one parameter, the name, in one place or more.
            for (int i = 1; i <= look.binds().size(); i++) {
                statement.setString(i, name);
            }
            try (ResultSet rows = statement.executeQuery()) {
                return rows.next()
                        ? Optional.of(new Row(
                                rows.getString("owner"),
                                rows.getLong("fence"),
                                rows.getLong("acquired_at"),
                                rows.getLong("held_until")))
                        : Optional.empty();
            }
        }
    }

    /** Lets a lease pass now. Its row keeps the owner token. */
    void endLease(String name) throws SQLException {
        try (Connection connection = dataSource.getConnection();
                PreparedStatement statement = connection.prepareStatement(statements.get("end_lease"))) {
            statement.setString(1, name);
            statement.executeUpdate();
        }
    }

    /** A client's round of a race, in Java: adds one under the lock. Returns false if the lock was busy, or lost. */
    boolean add(String name, Duration lease, Duration wait, Duration length) throws SQLException, InterruptedException {
        Optional<Lease> acquired = dibs.lock(name).leaseLength(lease).tryAcquire(wait);
        if (acquired.isEmpty()) {
            return false;
        }
        try (Lease held = acquired.get();
                Connection connection = dataSource.getConnection()) {
            connection.setAutoCommit(false);
            try {
                held.guard(connection);
                long count = count(connection);
                Thread.sleep(length.toMillis());
                try (PreparedStatement statement = connection.prepareStatement(statements.get("write_counter"))) {
                    statement.setLong(1, count + 1);
                    statement.executeUpdate();
                }
                connection.commit();
                return true;
            } catch (LeaseLostException e) {
                return false;
            } finally {
                connection.rollback();
                connection.setAutoCommit(true);
            }
        }
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
