package dev.dibs.contract.runs;

import dev.dibs.contract.support.ContractFixture;
import dev.dibs.internal.sql.call.Database;
import dev.dibs.internal.sql.call.Params;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Single statements about runs that must change only some rows. */
class RunStatementContract extends ContractFixture {

    static final Duration LIMIT = Duration.ofSeconds(20);

    @Test
    void onlyARunThatIsRunningStopsForItsFailures() throws Exception {
        String run = fresh("stop");
        Database database = asked(pool(), "dibs_");
        insertRun(run, "paused");
        Params params = Params.of("run", run).with("by", "me").with("reason", "too many");
        database.call("stop_failing_run", params, LIMIT);
        assertThat(sql().texts("SELECT state FROM dibs_run WHERE name = ?", run))
                .containsExactly("paused");
        update("UPDATE dibs_run SET state = 'running' WHERE name = ?", run);
        database.call("stop_failing_run", params, LIMIT);
        assertThat(sql().texts("SELECT state FROM dibs_run WHERE name = ?", run))
                .containsExactly("stopped");
        update("DELETE FROM dibs_run WHERE name = ?", run);
    }

    @Test
    void onlyFailuresOfItsWorkersSinceItsStartCount() throws Exception {
        String run = fresh("counted");
        String other = fresh("not-counted");
        for (String one : List.of(run, other)) {
            insertRun(one, "running");
            insertWorker(one, "1", 100, 7);
            insertWorker(one, "2", 50, 3);
        }
        update(
                "UPDATE dibs_run SET max_failures = 5, max_percent = 40, forgiven = 4, done_before = 30 WHERE name = ?",
                run);
        List<List<Long>> found = asked(pool(), "dibs_")
                .call(
                        "read_failures",
                        Params.of("run", run),
                        LIMIT,
                        row -> List.of(
                                row.getLong("max_failures"),
                                row.getLong("max_percent"),
                                row.getLong("failed"),
                                row.getLong("done")))
                .rows();
        assertThat(found).containsExactly(List.of(5L, 40L, 6L, 120L));
        for (String one : List.of(run, other)) {
            update("DELETE FROM dibs_run_worker WHERE run = ?", one);
            update("DELETE FROM dibs_run WHERE name = ?", one);
        }
    }

    @Test
    void onlyDeadRowsAreRetriedAndOnlyRetriedOnesForgotten() throws Exception {
        String run = fresh("again");
        Database database = asked(pool(), "dibs_");
        insertRow(run, "1", "retry");
        insertRow(run, "2", "dead");
        database.call("retry_dead_rows", Params.of("run", run), LIMIT);
        assertThat(rows(run)).containsExactly("retry", "again");
        for (String key : List.of("1", "2")) {
            database.call("forget_retried_row", Params.of("run", run).with("row_key", key), LIMIT);
        }
        assertThat(rows(run)).containsExactly("retry");
        update("DELETE FROM dibs_run_row WHERE run = ?", run);
    }

    @Test
    void aRunWithADeadRowToRetryDoesNotFinish() throws Exception {
        String run = fresh("finish");
        Database database = asked(pool(), "dibs_");
        insertRun(run, "running");
        insertRow(run, "1", "again");
        String other = fresh("other");
        insertRow(other, "1", "again");
        String finished = "SELECT finished_at FROM dibs_run WHERE name = ?";
        database.call("finish_run", Params.of("run", run), LIMIT);
        assertThat(sql().texts(finished, run)).containsOnlyNulls();
        update("UPDATE dibs_run_row SET state = 'dead' WHERE run = ?", run);
        database.call("finish_run", Params.of("run", run), LIMIT);
        assertThat(sql().texts(finished, run)).doesNotContainNull();
        database.call("retry_dead_rows", Params.of("run", run), LIMIT);
        assertThat(sql().texts(finished, run)).as("it goes on").containsOnlyNulls();
        for (String one : List.of(run, other)) {
            update("DELETE FROM dibs_run_row WHERE run = ?", one);
        }
        update("DELETE FROM dibs_run WHERE name = ?", run);
    }

    private List<String> rows(String run) throws SQLException {
        return sql().texts("SELECT state FROM dibs_run_row WHERE run = ? ORDER BY row_key", run);
    }

    private void insertRun(String run, String state) throws SQLException {
        update(
                "INSERT INTO dibs_run (name, state, changed_at, batch, rate, max_failures, max_percent, forgiven,"
                        + " started_at, next_at) VALUES (?, ?, 0, 1, 0, 0, 0, 0, 0, 0)",
                run,
                state);
    }

    private void insertWorker(String run, String worker, int done, int failed) throws SQLException {
        update(
                "INSERT INTO dibs_run_worker (run, worker, label, started_at, seen_at, done, failed, rate)"
                        + " VALUES (?, ?, 'somebody', 0, 0, " + done + ", " + failed + ", 0)",
                run,
                worker);
    }

    private void insertRow(String run, String key, String state) throws SQLException {
        update(
                "INSERT INTO dibs_run_row (run, row_key, state, attempts, failed_at) VALUES (?, ?, ?, 1, 0)",
                run,
                key,
                state);
    }

    private void update(String sql, String... values) throws SQLException {
        sql().change(sql, (Object[]) values);
    }
}
