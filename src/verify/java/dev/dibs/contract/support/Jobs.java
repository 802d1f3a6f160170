package dev.dibs.contract.support;

import dev.dibs.Dibs;
import dev.dibs.claims.ClaimsBuilder;
import dev.dibs.database.Sql;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import javax.sql.DataSource;

/** With columns for claims. */
public final class Jobs extends JobTable {

    public Jobs(DataSource dataSource, int rows) throws SQLException {
        this(dataSource, "jobs_" + Fixture.COUNT.incrementAndGet() + "_", "id", rows);
    }

    /** With names in the database's own spelling. */
    public Jobs(DataSource dataSource, String table, String key, int rows) throws SQLException {
        super(dataSource, table, key, "log_" + Fixture.COUNT.incrementAndGet());
        run(
                "CREATE TABLE " + table + " (" + key + " bigint NOT NULL PRIMARY KEY, what varchar(200),"
                        + " done_at bigint, request_token varchar(32), claimed_until bigint)",
                "CREATE INDEX open_" + Fixture.COUNT.incrementAndGet() + " ON " + table + " (done_at, " + key + ")",
                "CREATE TABLE " + log + " (id bigint NOT NULL)");
        fill(dataSource, table, key + ", what", rows, number -> number + ", 'job " + number + "'");
    }

    /** Claims that last until they are released. */
    public ClaimsBuilder markers(Dibs dibs) {
        return dibs.claims(table)
                .key(key)
                .token("request_token")
                .where("done_at IS NULL")
                .completeSet("done_at = 1");
    }

    /** Claims of whole ranges of its keys, with the table's name as their scope. */
    public ClaimsBuilder ranges(Dibs dibs) {
        return dibs.claims(table).key(key).ranges(table);
    }

    @Override
    public ClaimsBuilder claims(Dibs dibs) {
        return claims(dibs, table, key);
    }

    /** The same, in another process. */
    public static ClaimsBuilder claims(Dibs dibs, String table, String key) {
        return dibs.claims(table)
                .key(key)
                .token("request_token")
                .until("claimed_until")
                .where("done_at IS NULL")
                .orderBy(key)
                .completeSet("done_at = 1");
    }

    public void add(long id) throws SQLException {
        run("INSERT INTO " + table + " (" + key + ") VALUES (" + id + ")");
    }

    @Override
    public long claimed() throws SQLException {
        String query = "SELECT count(*) FROM " + table + " WHERE request_token IS NOT NULL";
        // A row that our own renewal has locked at that moment is released a little later.
        for (int i = 0; i < 100 && numbers(query).get(0) > 0; i++) {
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(50));
        }
        return numbers(query).get(0);
    }

    /** The work on a row, on the connection that completes it. */
    public void effect(Connection connection, long id) throws SQLException {
        effect(connection, log, id);
    }

    public static void effect(Connection connection, String log, long id) throws SQLException {
        Sql.on(connection).change("INSERT INTO " + log + " (id) VALUES (?)", id);
    }

    /** How often each processed row was processed. */
    public List<Long> effects() throws SQLException {
        return numbers("SELECT count(*) FROM " + log + " GROUP BY id");
    }

    @Override
    public List<Long> until() throws SQLException {
        return numbers("SELECT claimed_until FROM " + table + " ORDER BY " + key);
    }

    @Override
    public void age(long row, long millis) throws SQLException {
        run("UPDATE " + table + " SET claimed_until = claimed_until - " + millis + " WHERE " + key + " = " + row);
    }
}
