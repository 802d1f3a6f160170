package dev.dibs.contract.support;

import dev.dibs.Dibs;
import dev.dibs.claims.ClaimsBuilder;
import dev.dibs.claims.RowKey;
import dev.dibs.database.Sql;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import javax.sql.DataSource;

/** A user's table that has no column for claims, with some rows to process, numbered from 1, and a log of the work. */
public final class SideJobs implements AutoCloseable {

    private final DataSource dataSource;
    private final String table = "plain_" + Fixture.COUNT.incrementAndGet() + "_"
            + ProcessHandle.current().pid();

    public SideJobs(DataSource dataSource, int rows) throws SQLException {
        this.dataSource = dataSource;
        run("CREATE TABLE " + table + " (id bigint NOT NULL PRIMARY KEY, scope varchar(20), token varchar(20),"
                + " row_key varchar(20), done_at bigint, times bigint NOT NULL)");
        run("CREATE INDEX " + table + "_open ON " + table + " (done_at, id)");
        run("CREATE TABLE " + table + "_log (job bigint NOT NULL)");
        run("CREATE INDEX " + table + "_job ON " + table + "_log (job)");
        try (Connection connection = dataSource.getConnection();
                PreparedStatement insert =
                        connection.prepareStatement("INSERT INTO " + table + " (id, times) VALUES (?, 0)")) {
            for (int i = 1; i <= rows; i++) {
                insert.setLong(1, i);
                insert.addBatch();
            }
            insert.executeBatch();
        }
    }

    public String table() {
        return table;
    }

    /** Claims whose completion changes the row, and counts. */
    public ClaimsBuilder claims(Dibs dibs) {
        return untouched(dibs).where("done_at IS NULL AND token IS NULL").completeSet("done_at = 1, times = times + 1");
    }

    /** Claims on rows that are never written: the log records the work. */
    public ClaimsBuilder logged(Dibs dibs) {
        return untouched(dibs).where("NOT EXISTS (SELECT 1 FROM " + table + "_log l WHERE l.job = id)");
    }

    private ClaimsBuilder untouched(Dibs dibs) {
        return dibs.claims(table).key("id").sideTable().orderBy("id");
    }

    public void log(Connection connection, long job) throws SQLException {
        Sql.on(connection).change("INSERT INTO " + table + "_log (job) VALUES (?)", job);
    }

    /** The numbers of the completed rows. */
    public List<Long> done() throws SQLException {
        return numbers("SELECT id FROM " + table + " WHERE done_at IS NOT NULL ORDER BY id");
    }

    /** How many rows were completed, and how often that happened. */
    public List<Long> completions() throws SQLException {
        return List.of(
                one("SELECT count(*) FROM " + table + " WHERE done_at = 1"), one("SELECT sum(times) FROM " + table));
    }

    /** How many jobs are in the log, and how many entries it has. */
    public List<Long> logged() throws SQLException {
        return List.of(
                one("SELECT count(DISTINCT job) FROM " + table + "_log"),
                one("SELECT count(*) FROM " + table + "_log"));
    }

    /** How many claims there are on this table. */
    public long marks() throws SQLException {
        return one("SELECT count(*) FROM dibs_claim WHERE scope = '" + table + "'");
    }

    /** Whether there is a claim on the row of some table. */
    public boolean isMarked(String scope, RowKey key) throws SQLException {
        return Sql.on(dataSource)
                .finds("SELECT token FROM dibs_claim WHERE scope = ? AND row_key = ?", scope, key.toString());
    }

    public long one(String query) throws SQLException {
        return numbers(query).get(0);
    }

    public List<Long> numbers(String query) throws SQLException {
        return Sql.on(dataSource).numbers(query);
    }

    public void run(String sql) throws SQLException {
        Sql.on(dataSource).run(sql);
    }

    @Override
    public void close() throws SQLException {
        run("DROP TABLE " + table);
        run("DROP TABLE " + table + "_log");
    }
}
