package dev.dibs.contract.support;

import dev.dibs.Dibs;
import dev.dibs.claims.ClaimsBuilder;
import dev.dibs.database.Sql;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import javax.sql.DataSource;

/** Without columns for claims. */
public final class SideJobs extends JobTable {

    public SideJobs(DataSource dataSource, int rows) throws SQLException {
        this(
                dataSource,
                "plain_" + Fixture.COUNT.incrementAndGet() + "_"
                        + ProcessHandle.current().pid(),
                rows);
    }

    private SideJobs(DataSource dataSource, String table, int rows) throws SQLException {
        super(dataSource, table, "id", table + "_log");
        run(
                "CREATE TABLE " + table + " (id bigint NOT NULL PRIMARY KEY, scope varchar(20), token varchar(20),"
                        + " row_key varchar(20), done_at bigint, times bigint NOT NULL)",
                "CREATE INDEX " + table + "_open ON " + table + " (done_at, id)",
                "CREATE TABLE " + log + " (job bigint NOT NULL)",
                "CREATE INDEX " + table + "_job ON " + log + " (job)");
        fill(dataSource, table, "id, times", rows, number -> number + ", 0");
    }

    /** Claims whose completion changes the row, and counts. */
    @Override
    public ClaimsBuilder claims(Dibs dibs) {
        return untouched(dibs).where("done_at IS NULL AND token IS NULL").completeSet("done_at = 1, times = times + 1");
    }

    /** Claims on rows that are never written: the log records the work. */
    public ClaimsBuilder logged(Dibs dibs) {
        return untouched(dibs).where("NOT EXISTS (SELECT 1 FROM " + log + " l WHERE l.job = id)");
    }

    private ClaimsBuilder untouched(Dibs dibs) {
        return dibs.claims(table).key("id").sideTable().orderBy("id");
    }

    public void log(Connection connection, long job) throws SQLException {
        Sql.on(connection).change("INSERT INTO " + log + " (job) VALUES (?)", job);
    }

    /** How many rows were completed, and how often that happened. */
    public List<Long> completions() throws SQLException {
        return List.of(
                one("SELECT count(*) FROM " + table + " WHERE done_at = 1"), one("SELECT sum(times) FROM " + table));
    }

    /** How many jobs are in the log, and how many entries it has. */
    public List<Long> logged() throws SQLException {
        return List.of(one("SELECT count(DISTINCT job) FROM " + log), one("SELECT count(*) FROM " + log));
    }

    @Override
    public long claimed() throws SQLException {
        return one("SELECT count(*) FROM dibs_claim WHERE scope = '" + table + "'");
    }

    @Override
    public List<Long> until() throws SQLException {
        return numbers("SELECT held_until FROM dibs_claim WHERE scope = '" + table + "' ORDER BY row_key");
    }

    @Override
    public void age(long row, long millis) throws SQLException {
        run("UPDATE dibs_claim SET held_until = held_until - " + millis + " WHERE scope = '" + table
                + "' AND row_key = '" + row + "'");
    }
}
