package dev.dibs.internal.runs;

import dev.dibs.claims.RowKey;
import dev.dibs.internal.retry.Retry;
import dev.dibs.internal.retry.RetryPolicy;
import dev.dibs.internal.sql.call.Call;
import dev.dibs.internal.sql.call.Database;
import dev.dibs.internal.sql.call.Params;
import dev.dibs.internal.sql.call.RowReader;
import dev.dibs.internal.sql.errors.SqlFailure;
import dev.dibs.internal.values.OwnerToken;
import dev.dibs.internal.values.Strings;
import dev.dibs.runs.RunError;
import dev.dibs.runs.RunState;
import dev.dibs.runs.RunWorkerInfo;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The statements of {@code runs.sql}, one method each. */
record RunTable(Database database, String name) {

    private static final Duration TIMEOUT = Duration.ofSeconds(30);

    /** How long an ended worker stays listed, unless the run is started again before. */
    private static final Duration WORKERS_KEPT = Duration.ofDays(7);

    /** How long an error stays listed after its row was completed. */
    private static final Duration ERRORS_KEPT = Duration.ofDays(30);

    private static final int LABEL = 200;
    private static final int MESSAGE = 1_000;

    /** A worker that has not reported for so long counts as dead; it reports much more often. */
    private static final long SEEN_MILLIS = 15_000;

    /** The counts of all workers, failed attempts included. */
    record Sum(long done, long failed) {

        static Sum read(ResultSet row) throws SQLException {
            return new Sum(row.getLong("done"), row.getLong("failed"));
        }
    }

    /** A failed row, and the number of its failures. */
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

    private Params params() {
        return Params.of("run", name);
    }

    private boolean change(String statement, Params params) throws SqlFailure {
        return database.call(statement, params, TIMEOUT).hit();
    }

    private <T> Call<T> ask(String statement, Params params, RowReader<T> reader) throws SqlFailure {
        return database.call(statement, params, TIMEOUT, reader);
    }

    /** Whether the run exists; the number of changed rows may leave out unchanged ones. */
    private boolean set(String statement, Params params) throws SqlFailure {
        return change(statement, params) || read().isPresent();
    }

    /** Creates the run with these settings, if it does not exist. */
    boolean create(Params settings, String by) throws SqlFailure {
        Params params = settings.with("run", name).withFreeText("by", by, LABEL);
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
        return ask("read_run", params(), RunRow::read).first();
    }

    /** What a worker must know; empty if the run was never created, or was deleted. */
    Optional<RunSwitches> switches() throws SqlFailure {
        return ask("read_switches", params(), RunSwitches::read).first();
    }

    Call<RunSwitches> switches(boolean idle) {
        String statement = idle ? "read_idle_run" : "read_switches";
        return Call.of(database.statements(), statement, params(), RunSwitches::read)
                .labelled("dibs_state");
    }

    static List<RunRow> list(Database database) throws SqlFailure {
        return database.call("list_runs", Params.none(), TIMEOUT, RunRow::read).rows();
    }

    boolean change(RunState state, String by, String reason) throws SqlFailure {
        return set(
                "change_run",
                params().with("state", RunRow.text(state))
                        .withFreeText("by", by, LABEL)
                        .withFreeText("reason", reason, MESSAGE));
    }

    void stopFailing(String by, String reason) throws SqlFailure {
        change("stop_failing_run", params().withFreeText("by", by, LABEL).withFreeText("reason", reason, MESSAGE));
    }

    /** Sets a number of the run by this statement. Returns whether the run exists. */
    boolean set(String statement, long value) throws SqlFailure {
        return set(statement, params().with("value", value));
    }

    /** Begins new counts after the end at that time. Nothing happens if another worker has done so, or goes on. */
    void beginPass(long ended) throws SqlFailure {
        Call<Boolean> unused = transact("begin_pass", params().with("ended", ended));
    }

    /** Deletes old workers and errors. */
    void purge() throws SqlFailure {
        Optional<RunRow> row = read();
        if (row.isPresent()) {
            long now = row.get().readAt();
            Call<Boolean> unused = transact(
                    "purge_run",
                    params().with("worker_before", now - WORKERS_KEPT.toMillis())
                            .with("error_before", now - ERRORS_KEPT.toMillis()));
        }
    }

    void reset() throws SqlFailure {
        Call<Boolean> unused = transact("reset_run", params());
    }

    private Call<Boolean> transact(String statement, Params params) throws SqlFailure {
        return Objects.requireNonNull(Retry.uninterrupted(RetryPolicy.RUN, () -> {
            Call<Boolean> call = Call.of(database.statements(), statement, params, row -> true);
            database.transact(List.of(call), TIMEOUT);
            return call;
        }));
    }

    /** Returns false if another worker was faster. */
    boolean takeAllowance(long from, long to) throws SqlFailure {
        return change("take_allowance", params().with("from", from).with("to", to));
    }

    /** No row is left. It does nothing if a dead row is to be tried again. */
    void finish() throws SqlFailure {
        change("finish_run", params());
    }

    void forgetRetries() throws SqlFailure {
        change("forget_retries", params());
    }

    void reopen() throws SqlFailure {
        change("reopen_run", params());
    }

    /** The worker's name is random: if its row exists, this statement was sent before and its answer was lost. */
    void enter(String worker, String label) throws SqlFailure {
        try {
            change("enter_worker", params().with("worker", worker).withFreeText("label", label, LABEL));
        } catch (SqlFailure e) {
            if (e.outcome() != SqlFailure.Outcome.DUPLICATE) {
                throw e;
            }
        }
    }

    /** The counts of a worker when none of its transactions runs any more; empty if its row was deleted. */
    Optional<Sum> settle(String worker) throws SqlFailure {
        return ask("settle_worker", params().with("worker", worker), Sum::read).first();
    }

    Call<Boolean> counting(String worker, Sum sum) {
        return Call.change(database.statements(), "count_work", counts(worker, sum));
    }

    /** Both in one call. */
    Call<RunSwitches> countingAndReading(String worker, Sum sum) {
        return Call.of(database.statements(), "count_and_read", counts(worker, sum), RunSwitches::read)
                .labelled("dibs_state");
    }

    private Params counts(String worker, Sum sum) {
        return params().with("worker", worker).with("done", sum.done()).with("failed", sum.failed());
    }

    void see(String worker, long rate, @Nullable String currentRow) throws SqlFailure {
        change(
                "see_worker",
                params().with("worker", worker)
                        .with("rate", rate)
                        .withFreeText("in_hand", currentRow, StoredKey.LIMIT));
    }

    /** Workers with names from the first to the last are alive. */
    void seeIdle(String first, String last) throws SqlFailure {
        change("see_idle_workers", params().with("worker", first).with("last_worker", last));
    }

    /**
     * A worker ends.
     *
     * @param error the error that ended it, or null
     */
    void leave(String worker, Sum sum, @Nullable String error) throws SqlFailure {
        change("leave_worker", counts(worker, sum).withFreeText("error", error, MESSAGE));
    }

    List<RunWorkerInfo> workers() throws SqlFailure {
        return ask("list_workers", params(), RunTable::worker).rows();
    }

    /** The workers of all runs, by the run's name. */
    static Map<String, List<RunWorkerInfo>> allWorkers(Database database) throws SqlFailure {
        Map<String, List<RunWorkerInfo>> workers = new HashMap<>();
        database.call(
                "list_all_workers",
                Params.none(),
                TIMEOUT,
                row -> workers.computeIfAbsent(row.getString("dibs_run"), run -> new ArrayList<>())
                        .add(worker(row)));
        return workers;
    }

    private static RunWorkerInfo worker(ResultSet row) throws SQLException {
        Long left = RowReader.number(row, "left_at");
        boolean alive = left == null && row.getLong("read_at") - row.getLong("seen_at") < SEEN_MILLIS;
        return new RunWorkerInfo(
                row.getString("label"),
                Instant.ofEpochMilli(row.getLong("started_at")),
                Instant.ofEpochMilli(row.getLong("seen_at")),
                alive,
                row.getLong("done"),
                row.getLong("failed"),
                alive ? row.getLong("rate") / 1000.0 : 0,
                alive ? Optional.ofNullable(row.getString("in_hand")) : Optional.empty(),
                Optional.ofNullable(row.getString("error")));
    }

    /** Empty if the run was deleted. */
    Optional<ErrorBudget> errorBudget() throws SqlFailure {
        return ask("read_failures", params(), ErrorBudget::read).first();
    }

    Optional<FailedRow> failedRow(RowKey key) throws SqlFailure {
        return ask("read_run_row", params().with("row_key", StoredKey.of(key)), FailedRow::read)
                .first();
    }

    List<FailedRow> failedRows(String state, long n) throws SqlFailure {
        return ask("list_run_rows", params().with("state", state).with("n", n), FailedRow::read)
                .rows();
    }

    /** Records that a row has failed. */
    Call<Boolean> failing(RowKey key, String state, long attempts, @Nullable String message) {
        return failing(key, state, attempts, message, "");
    }

    /** Records that a row failed, unless it is dead. In either case a transaction has the entry locked after it. */
    Call<Boolean> failingUnlessDead(RowKey key, long attempts) {
        return failing(key, "retry", attempts, null, "dead");
    }

    /** Reads the entry of a row. */
    Call<FailedRow> reading(RowKey key) {
        return Call.of(
                database.statements(), "read_run_row", params().with("row_key", StoredKey.of(key)), FailedRow::read);
    }

    /** Records that a run of another name gave a row up. If it is to be tried again, that stays. */
    Call<Boolean> takingOver(RowKey key, long attempts) {
        return failing(key, "dead", attempts, "a run of another name gave it up", "again");
    }

    private Call<Boolean> failing(RowKey key, String state, long attempts, @Nullable String message, String kept) {
        Params params = params().with("row_key", StoredKey.of(key))
                .with("state", state)
                .with("kept", kept)
                .with("attempts", attempts)
                .withFreeText("message", message, MESSAGE);
        return Call.change(database.statements(), "fail_run_row", params).colliding();
    }

    Call<Boolean> forgetting(RowKey key) {
        return Call.change(database.statements(), "forget_run_row", params().with("row_key", StoredKey.of(key)));
    }

    /** A dead row that was to be tried again is free. */
    void forgetRetried(String key) throws SqlFailure {
        change("forget_retried_row", params().with("row_key", key));
    }

    /** The error that ended a worker. */
    void record(String worker, Throwable error) throws SqlFailure {
        database.transact(List.of(recording("", 0, worker, error)), TIMEOUT);
    }

    /**
     * Records an error.
     *
     * @param key as it is stored; empty if the error is not one row's
     */
    Call<Boolean> recording(String key, long attempt, String worker, Throwable error) {
        Params params = params().with("id", OwnerToken.next())
                .with("row_key", key)
                .with("attempts", attempt)
                .withFreeText("worker", worker, LABEL)
                .withFreeText("error_class", error.getClass().getName(), 300)
                .withFreeText("message", Strings.of(error, Throwable::getMessage), MESSAGE)
                .withFreeText("stack", Strings.stack(error), 4000);
        return Call.change(database.statements(), "add_run_error", params);
    }

    long retryDead() throws SqlFailure {
        Call<Boolean> marked = transact("retry_dead_rows", params());
        return Math.max(marked.changed(), marked.rows().size());
    }

    List<RunError> errors(long n) throws SqlFailure {
        return ask("list_run_errors", params().with("n", n), RunTable::error).rows();
    }

    private static RunError error(ResultSet row) throws SQLException {
        return new RunError(
                row.getString("dibs_error"),
                row.getLong("attempt"),
                row.getString("worker"),
                Instant.ofEpochMilli(row.getLong("failed_at")),
                row.getString("error_class"),
                Strings.orEmpty(row.getString("message")),
                Strings.orEmpty(row.getString("stack")));
    }
}
