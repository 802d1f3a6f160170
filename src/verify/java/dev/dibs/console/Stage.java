package dev.dibs.console;

import dev.dibs.Dibs;
import dev.dibs.claims.RowClaims;
import dev.dibs.database.CountingDataSource;
import dev.dibs.runs.RunWorkers;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.h2.jdbcx.JdbcConnectionPool;

/** A database of its own, with a Dibs, and a run that fails. */
final class Stage implements AutoCloseable {

    private final JdbcConnectionPool pool =
            JdbcConnectionPool.create("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1", "sa", "");
    private final CountingDataSource counting = new CountingDataSource(pool);
    private final Dibs dibs;

    Stage() {
        pool.setMaxConnections(20);
        try (Dibs first = Dibs.builder(pool).build()) {
            first.admin().createSchema();
        }
        dibs = Dibs.builder(counting).holder("node 7").build();
    }

    Dibs dibs() {
        return dibs;
    }

    CountingDataSource counting() {
        return counting;
    }

    void execute(String sql) {
        try (Connection connection = pool.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }

    /** Rows 1 to n of a table jobs. */
    void jobs(int n) {
        execute("CREATE TABLE jobs (id bigint PRIMARY KEY, token varchar(64), until bigint, done_at timestamp)");
        execute("INSERT INTO jobs (id) SELECT x FROM system_range(1, " + n + ")");
    }

    RowClaims<Long> claims() {
        return dibs.claims("jobs")
                .key("id")
                .token("token")
                .until("until")
                .where("done_at IS NULL")
                .completeSet("done_at = CURRENT_TIMESTAMP")
                .leaseLength(Duration.ofSeconds(20))
                .build(row -> row.getLong("id"));
    }

    /** Works through the jobs; the rows whose numbers are among these fail for good. */
    void work(String run, List<Long> failing, String message) {
        try (RunWorkers<Long> workers = dibs.run(run)
                .over(claims())
                .batch(5)
                .maxAttempts(1)
                .work(row -> {
                    if (failing.contains(row)) {
                        throw new IllegalStateException(message);
                    }
                })
                .start()) {
            workers.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Override
    public void close() {
        dibs.close();
        pool.dispose();
    }
}
