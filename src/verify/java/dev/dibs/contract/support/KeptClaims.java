package dev.dibs.contract.support;

import static org.assertj.core.api.Assertions.assertThat;

import dev.dibs.Dibs;
import dev.dibs.claims.Claim;
import dev.dibs.claims.ClaimsBuilder;
import dev.dibs.claims.RowClaims;
import dev.dibs.claims.RowKey;
import dev.dibs.database.Sql;
import dev.dibs.database.TestDatabase;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;

/** Some rows to process, numbered from 1, and claims on them in one of the ways of storing claims. */
public final class KeptClaims implements AutoCloseable {
    private static final long FAR = 1L << 52;

    private final DataSource pool;
    private final TestDatabase database;
    private final Way way;
    private final Jobs jobs;
    private final SideJobs besides;
    private final Map<Dibs, RowClaims<RowKey>> made = new HashMap<>();

    /** The ways of storing claims. */
    public enum Way {
        TABLE("id", "request_token", "claimed_until"),
        MARKER("id", "request_token", "id"),
        SIDE("row_key", "token", "held_until"),
        RANGE("id", "token", "held_until"),
        /** Rows that have left their range, since one in its middle was completed. */
        SCATTERED("row_key", "token", "held_until");

        private final String key;
        private final String token;
        private final String until;

        Way(String key, String token, String until) {
            this.key = key;
            this.token = token;
            this.until = until;
        }
    }

    public KeptClaims(Fixture fixture, Way way, int rows) throws SQLException {
        pool = fixture.pool();
        database = fixture.database();
        this.way = way;
        jobs = new Jobs(pool, rows);
        besides = new SideJobs(pool, rows);
    }

    private String table() {
        return switch (way) {
            case TABLE, MARKER -> jobs.table();
            case SIDE, SCATTERED -> "dibs_claim";
            case RANGE -> "dibs_range";
        };
    }

    private String scope() {
        return way == Way.SIDE ? besides.table() : jobs.table();
    }

    /** Without renewals in the background. */
    public RowClaims<RowKey> by(Dibs dibs) {
        return made.computeIfAbsent(dibs, this::make);
    }

    /** The same for an instance that looks at once for rows that have left their range, as a new one does. */
    public RowClaims<RowKey> anew(Dibs dibs) {
        if (way == Way.RANGE || way == Way.SCATTERED) {
            made.remove(dibs);
        }
        return by(dibs);
    }

    private RowClaims<RowKey> make(Dibs dibs) {
        ClaimsBuilder builder = switch (way) {
            case TABLE -> jobs.claims(dibs);
            case MARKER -> jobs.markers(dibs).orderBy("id");
            case SIDE -> besides.claims(dibs);
            case RANGE, SCATTERED -> jobs.ranges(dibs);
        };
        return (way == Way.MARKER ? builder : builder.leaseLength(Duration.ofMinutes(10))).build();
    }

    /** Claims all rows, or all but one if they are to leave their range. */
    public Claim<RowKey> claimAll(RowClaims<RowKey> claims) {
        Claim<RowKey> claim = claims.claim(100);
        assertThat(claim.isEmpty()).isFalse();
        if (way == Way.SCATTERED) {
            claim.complete(List.of(RowKey.of(3)));
        }
        return claim;
    }

    /** How many rows {@link #claimAll} leaves open. */
    public int toDo(int rows) {
        return way == Way.SCATTERED ? rows - 1 : rows;
    }

    /** Queries by which a transaction begins to see all of it. */
    public String[] looks() {
        return new String[] {
            "SELECT count(*) FROM " + jobs.table(),
            "SELECT count(*) FROM " + besides.table(),
            "SELECT count(*) FROM dibs_claim",
            "SELECT count(*) FROM dibs_range"
        };
    }

    /** Nothing is claimed or completed; the cursor of ranges stays, since claims rely on it. */
    public void reset() throws SQLException {
        jobs.run("UPDATE " + jobs.table() + " SET request_token = NULL, claimed_until = NULL, done_at = NULL");
        jobs.run("UPDATE " + besides.table() + " SET done_at = NULL");
        for (String scope : List.of(jobs.table(), besides.table())) {
            jobs.run("DELETE FROM dibs_claim WHERE scope = '" + scope + "'");
            jobs.run("DELETE FROM dibs_range WHERE id <> 'dibs-cursor' AND scope = '" + scope + "'");
            jobs.run("UPDATE dibs_range SET last_key = first_key WHERE scope = '" + scope + "'");
        }
    }

    /** Lets the claim expire. */
    public void pass(String token) throws SQLException {
        jobs.run("UPDATE " + table() + " SET " + way.until + " = 4 WHERE " + way.token + " = '" + token + "'");
    }

    /** Locks the mark of the row until the transaction ends. */
    public void lock(Connection other, long row) throws SQLException {
        Sql.on(other)
                .change(
                        "UPDATE " + table() + " SET " + way.token + " = " + way.token + " WHERE " + way.key + " = ?"
                                + inScope(),
                        table().equals(jobs.table()) ? (Object) row : String.valueOf(row));
    }

    private String inScope() {
        return table().equals(jobs.table()) ? "" : " AND scope = '" + scope() + "'";
    }

    /** Like a renewal that began before the claim expired, for rows without a lock; returns their number. */
    public int renewLate(String token) throws SQLException {
        try (Connection connection = pool.getConnection()) {
            connection.setAutoCommit(false);
            try (PreparedStatement select =
                            connection.prepareStatement(database.selectUnlocked(way.key, table(), way.token + " = ?"));
                    PreparedStatement update = connection.prepareStatement("UPDATE " + table() + " SET " + way.until
                            + " = " + FAR + " WHERE " + way.key + " = ?" + inScope())) {
                select.setString(1, token);
                List<Object> keys = new ArrayList<>();
                try (ResultSet row = select.executeQuery()) {
                    while (row.next()) {
                        keys.add(row.getObject(1));
                    }
                }
                for (Object key : keys) {
                    update.setObject(1, key);
                    update.executeUpdate();
                }
                connection.commit();
                return keys.size();
            } finally {
                connection.setAutoCommit(true);
            }
        }
    }

    @Override
    public void close() throws SQLException {
        reset();
        jobs.run("DELETE FROM dibs_range WHERE scope = '" + jobs.table() + "'");
        jobs.close();
        besides.close();
    }
}
