package dev.dibs.contract.claims;

import dev.dibs.Dibs;
import dev.dibs.claims.ClaimsBuilder;
import dev.dibs.contract.support.Fixture;
import dev.dibs.database.Sql;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Collections;
import java.util.function.UnaryOperator;
import javax.sql.DataSource;

/** A user's table with a key of any columns. */
final class KeyTable implements AutoCloseable {
    private final DataSource dataSource;
    private final String table;
    private final String key;

    /** Of the test's database. */
    KeyTable(Fixture fixture, String columns, String key) throws SQLException {
        this(fixture.pool(), fixture.fresh("keys"), fixture.database()::quoted, columns, key);
    }

    /**
     * Creates the table.
     *
     * @param columns those of the key, with their types
     * @param key their names
     */
    KeyTable(DataSource dataSource, String name, UnaryOperator<String> quoted, String columns, String key)
            throws SQLException {
        this.dataSource = dataSource;
        this.table = quoted.apply(name);
        this.key = key;
        Sql.on(dataSource)
                .run("CREATE TABLE " + table + " (" + columns + ", done_at bigint, request_token varchar(32),"
                        + " claimed_until bigint, PRIMARY KEY (" + key + "))");
    }

    String name() {
        return table;
    }

    void insert(Object... values) throws SQLException {
        String marks = String.join(", ", Collections.nCopies(values.length, "?"));
        Sql.on(dataSource).change("INSERT INTO " + table + " (" + key + ") VALUES (" + marks + ")", values);
    }

    void insertText(String values) throws SQLException {
        Sql.on(dataSource).run("INSERT INTO " + table + " (" + key + ") VALUES (" + values + ")");
    }

    /** Rows of 1,000 parts each. */
    void insertMany(int rows) throws SQLException {
        try (Connection connection = dataSource.getConnection();
                PreparedStatement insert = connection.prepareStatement(manyRows())) {
            connection.setAutoCommit(false);
            for (int i = 0; i < rows; i++) {
                insert.setString(2 * (i % 500) + 1, "part " + i % 1000);
                insert.setInt(2 * (i % 500) + 2, i);
                if (i % 500 == 499) {
                    insert.executeUpdate();
                }
            }
            connection.commit();
            connection.setAutoCommit(true);
        }
        Sql.on(dataSource).run("CREATE INDEX open_rows ON " + table + " (done_at, " + key + ")");
    }

    private String manyRows() {
        return "INSERT INTO " + table + " (" + key + ") VALUES "
                + String.join(", ", Collections.nCopies(500, "(?, ?)"));
    }

    /** All rows are to be done again, and none is claimed. */
    void reopen() throws SQLException {
        Sql.on(dataSource).run("UPDATE " + table + " SET done_at = NULL, request_token = NULL, claimed_until = NULL");
    }

    ClaimsBuilder besides(Dibs dibs) {
        return dibs.claims(table)
                .key(key.split(", "))
                .sideTable()
                .where("done_at IS NULL")
                .completeSet("done_at = 1");
    }

    ClaimsBuilder claims(Dibs dibs) {
        return dibs.claims(table)
                .key(key.split(", "))
                .token("request_token")
                .until("claimed_until")
                .where("done_at IS NULL")
                .completeSet("done_at = 1");
    }

    /** Claims whose completion changes the key. */
    ClaimsBuilder moving(Dibs dibs) {
        return claims(dibs).where("state = 'new'").completeSet("done_at = 1, state = 'done'");
    }

    /** The same in the claim table. */
    ClaimsBuilder movingBesides(Dibs dibs) {
        return besides(dibs).where("state = 'new'").completeSet("state = 'done', done_at = 1");
    }

    long countDone() throws SQLException {
        return Sql.on(dataSource).number("SELECT count(*) FROM " + table + " WHERE done_at IS NOT NULL");
    }

    @Override
    public void close() throws SQLException {
        Sql.on(dataSource).run("DROP TABLE " + table);
    }
}
