package dev.dibs.conformance;

import dev.dibs.Dibs;
import dev.dibs.claims.RowClaims;
import dev.dibs.claims.RowKey;
import dev.dibs.internal.sql.files.SqlName;
import dev.dibs.statements.OwnStatements;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * A table of one check whose rows are claimed, and the referee's access to it. Its columns are id, claimed_by, claimed_until and
 * done: a row with done = 0 is to be done, and completing it sets done to done + 1.
 */
final class ClaimRows implements AutoCloseable {

    /** A row as the table has it. */
    record Row(long id, @Nullable String token, long until, int done) {}

    /** A part of a check. */
    interface Step {
        void go() throws CheckFailed, NotOffered;
    }

    private final DataSource dataSource;
    private final Dibs dibs;
    private final String name;
    private final Duration lease;
    private final Map<String, String> statements;

    /** Makes the table, with rows whose ids are 1, 2 and so on. */
    ClaimRows(DataSource dataSource, Dibs dibs, String prefix, int count, Duration lease) throws SQLException {
        this.dataSource = dataSource;
        this.dibs = dibs;
        this.lease = lease;
        this.name =
                prefix + "_" + Integer.toHexString(ThreadLocalRandom.current().nextInt());
        this.statements = OwnStatements.read(
                Referee.class, "conformance.sql", Map.of("table", name, "index", SqlName.bare(name) + "_open"));
        update("create_rows");
        update("create_index");
        try (Connection connection = dataSource.getConnection();
                PreparedStatement insert = connection.prepareStatement(statements.get("insert_row"))) {
            for (int id = 1; id <= count; id++) {
                insert.setLong(1, id);
                insert.addBatch();
            }
            insert.executeBatch();
        }
    }

    private void update(String statement) throws SQLException {
        try (Connection connection = dataSource.getConnection();
                Statement sent = connection.createStatement()) {
            sent.executeUpdate(statements.get(statement));
        }
    }

    String name() {
        return name;
    }

    /** For how long they are claimed. */
    Duration lease() {
        return lease;
    }

    /** All of them, by their ids. */
    List<Row> all() throws SQLException {
        List<Row> all = new ArrayList<>();
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(statements.get("read_rows"))) {
            while (rows.next()) {
                all.add(new Row(
                        rows.getLong("id"),
                        rows.getString("claimed_by"),
                        rows.getLong("claimed_until"),
                        rows.getInt("done")));
            }
        }
        return all;
    }

    Row row(long id) throws SQLException {
        return all().get((int) id - 1);
    }

    /** Goes on while a transaction of the referee's has the row locked. */
    void whileLocked(long id, Step step) throws CheckFailed, NotOffered, SQLException {
        try (Connection connection = dataSource.getConnection()) {
            connection.setAutoCommit(false);
            try (PreparedStatement lock = connection.prepareStatement(statements.get("lock_row"))) {
                lock.setLong(1, id);
                lock.executeUpdate();
                step.go();
            } finally {
                connection.rollback();
                connection.setAutoCommit(true);
            }
        }
    }

    /** The one token that these rows have. */
    String token(Collection<Long> ids) throws SQLException, CheckFailed {
        Set<String> tokens = new HashSet<>();
        for (Row row : all()) {
            if (ids.contains(row.id())) {
                tokens.add(Objects.requireNonNullElse(row.token(), "none"));
            }
        }
        CheckFailed.unless(tokens.size() == 1, "the rows " + ids + " of one claim have the tokens " + tokens);
        return tokens.iterator().next();
    }

    /** The claims of these rows in Java. */
    RowClaims<RowKey> inJava() {
        return dibs.claims(name)
                .key("id")
                .token("claimed_by")
                .until("claimed_until")
                .where("done = 0")
                .orderBy("id")
                .completeSet("done = done + 1")
                .leaseLength(lease)
                .build();
    }

    /** Takes all rows away from the claim with this token. */
    void release(String token) {
        List<RowKey> unused = inJava().release(token);
    }

    @Override
    public void close() throws SQLException {
        update("drop_rows");
    }
}
