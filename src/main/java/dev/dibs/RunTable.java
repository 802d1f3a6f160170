package dev.dibs;

import dev.dibs.sql.Call;
import dev.dibs.sql.Database;
import dev.dibs.sql.Params;
import dev.dibs.sql.SqlFailure;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The statements of {@code runs.sql}, one method each. */
final class RunTable {

    private static final Duration TIMEOUT = Duration.ofSeconds(30);

    /** A worker that has not been seen for so long is taken for dead; it says that it is alive much more often. */
    private static final long SEEN_MILLIS = 15_000;

    /** A failed row, and how often it has. */
    record FailedRow(
            String key,
            String state,
            long attempts,
            long failedAt,
            @Nullable String message) {

        static FailedRow read(ResultSet row) throws SQLException {
            return new FailedRow(
                    row.getString("dibs_row"),
                    row.getString("state").strip(),
                    row.getLong("attempts"),
                    row.getLong("failed_at"),
                    row.getString("message"));
        }
    }

    /** What all workers have done, failed attempts included. */
    record Sum(long done, long failed) {}

    private final Database database;
    private final String run;

    RunTable(Database database, String run) {
        this.database = database;
        this.run = run;
    }

    Database database() {
        return database;
    }

    private Params params() {
        return Params.of("run", run);
    }

    private long change(String statement, Params params) throws SqlFailure {
        return database.call(statement, params, TIMEOUT).changed();
    }

    /** Makes the run, if it is not there. */
    boolean create(RunDefaults defaults, String by) throws SqlFailure {
        Params params = params().with("by", by)
                .with("batch", defaults.batch())
                .with("rate", defaults.rate())
                .with("max_failures", defaults.maxFailures())
                .with("max_percent", defaults.maxPercent());
        try {
            return database.call("begin_run", params, TIMEOUT).changed() > 0;
        } catch (SqlFailure e) {
            if (e.outcome() == SqlFailure.Outcome.DUPLICATE) {
                return false;
            }
            throw e;
        }
    }

    Optional<RunRow> read() throws SqlFailure {
        return database.call("read_run", params(), TIMEOUT, RunRow::read).rows().stream()
                .findFirst();
    }

    Call<RunRow> reading() {
        return database.statements().call("read_run", params(), RunRow::read).labelled("dibs_run");
    }

    static List<RunRow> list(Database database) throws SqlFailure {
        return database.call("list_runs", Params.none(), TIMEOUT, RunRow::read).rows();
    }

    boolean change(RunState state, String by, String reason) throws SqlFailure {
        return change(
                        "change_run",
                        params().with("state", state.text()).with("by", by).with("reason", Texts.cut(reason, 1000)))
                > 0;
    }

    boolean stopFailing(String by, String reason) throws SqlFailure {
        return change("stop_failing_run", params().with("by", by).with("reason", reason)) > 0;
    }

    boolean setBatch(long value) throws SqlFailure {
        return change("set_run_batch", params().with("value", value)) > 0;
    }

    boolean setRate(long value) throws SqlFailure {
        return change("set_run_rate", params().with("value", value)) > 0;
    }

    boolean setMaxFailures(long value) throws SqlFailure {
        return change("set_run_failures", params().with("value", value)) > 0;
    }

    boolean setMaxPercent(long value) throws SqlFailure {
        return change("set_run_percent", params().with("value", value)) > 0;
    }

    void setTotal(long value) throws SqlFailure {
        change("set_run_total", params().with("value", value));
    }

    /** Returns false if somebody else was faster. */
    boolean takeAllowance(long from, long to) throws SqlFailure {
        return change("take_allowance", params().with("from", from).with("to", to)) > 0;
    }

    boolean finish() throws SqlFailure {
        return change("finish_run", params()) > 0;
    }

    void reopen() throws SqlFailure {
        change("reopen_run", params());
    }

    void enter(String worker, String label) throws SqlFailure {
        change("enter_worker", params().with("worker", worker).with("label", label));
    }

    Call<Boolean> counting(String worker, long done, long failed) {
        Params params = params().with("worker", worker).with("done", done).with("failed", failed);
        return database.statements().call("count_work", params, row -> true).labelled("dibs_nothing");
    }

    void see(String worker, long rate, @Nullable String inHand) throws SqlFailure {
        change(
                "see_worker",
                params().with("worker", worker).with("rate", rate).with("in_hand", Texts.cut(inHand, 400)));
    }

    void leave(String worker) throws SqlFailure {
        change("leave_worker", params().with("worker", worker));
    }

    List<RunWorkerInfo> workers() throws SqlFailure {
        return database.call("list_workers", params(), TIMEOUT, RunTable::worker)
                .rows();
    }

    private static RunWorkerInfo worker(ResultSet row) throws SQLException {
        Long left = RunRow.number(row, "left_at");
        boolean alive = left == null && row.getLong("read_at") - row.getLong("seen_at") < SEEN_MILLIS;
        return new RunWorkerInfo(
                row.getString("label"),
                Instant.ofEpochMilli(row.getLong("started_at")),
                Instant.ofEpochMilli(row.getLong("seen_at")),
                alive,
                row.getLong("done"),
                row.getLong("failed"),
                alive ? row.getLong("rate") / 1000.0 : 0,
                alive ? Optional.ofNullable(row.getString("in_hand")) : Optional.empty());
    }

    Sum sum() throws SqlFailure {
        return database.call("sum_work", params(), TIMEOUT, row -> new Sum(row.getLong("done"), row.getLong("failed")))
                .rows()
                .get(0);
    }

    /** How many failed rows are in which state. */
    Map<String, Long> failedRows() throws SqlFailure {
        Map<String, Long> counts = new HashMap<>();
        database.call(
                "count_run_rows",
                params(),
                TIMEOUT,
                row -> counts.put(row.getString("dibs_state").strip(), row.getLong("how_many")) == null);
        return counts;
    }

    Optional<FailedRow> failedRow(RowKey key) throws SqlFailure {
        return database
                .call("read_run_row", params().with("row_key", RunKeys.text(key)), TIMEOUT, FailedRow::read)
                .rows()
                .stream()
                .findFirst();
    }

    List<FailedRow> failedRows(String state, long n) throws SqlFailure {
        return database.call("list_run_rows", params().with("state", state).with("n", n), TIMEOUT, FailedRow::read)
                .rows();
    }

    /** Writes down that a row has failed. */
    Call<Boolean> failing(RowKey key, String state, long attempts, String message) {
        Params params = params().with("row_key", RunKeys.text(key))
                .with("state", state)
                .with("attempts", attempts)
                .with("message", Texts.cut(message, 1000));
        return database.statements()
                .call(attempts == 1 ? "add_run_row" : "change_run_row", params, row -> true)
                .labelled("dibs_nothing");
    }

    Call<Boolean> forgetting(RowKey key) {
        return database.statements()
                .call("forget_run_row", params().with("row_key", RunKeys.text(key)), row -> true)
                .labelled("dibs_nothing");
    }

    Call<Boolean> recording(RowKey key, long attempt, String worker, Throwable error) {
        Params params = params().with("id", OwnerToken.next())
                .with("row_key", RunKeys.text(key))
                .with("attempt", attempt)
                .with("worker", worker)
                .with("error_class", Texts.cut(error.getClass().getName(), 300))
                .with("message", Texts.cut(error.getMessage(), 1000))
                .with("stack", Texts.cut(Texts.stack(error), 4000));
        return database.statements().call("add_run_error", params, row -> true).labelled("dibs_nothing");
    }

    long wantDead() throws SqlFailure {
        return change("want_dead_rows", params());
    }

    List<RunError> errors(long n) throws SqlFailure {
        return database.call("list_run_errors", params().with("n", n), TIMEOUT, RunTable::error)
                .rows();
    }

    private static RunError error(ResultSet row) throws SQLException {
        return new RunError(
                row.getString("dibs_error"),
                row.getLong("attempt"),
                row.getString("worker"),
                Instant.ofEpochMilli(row.getLong("failed_at")),
                row.getString("error_class"),
                Texts.orEmpty(row.getString("message")),
                Texts.orEmpty(row.getString("stack")));
    }
}
