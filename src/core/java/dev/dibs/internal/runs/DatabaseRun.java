package dev.dibs.internal.runs;

import dev.dibs.DibsException;
import dev.dibs.claims.RowClaims;
import dev.dibs.internal.claims.ClaimEngine;
import dev.dibs.internal.claims.DatabaseClaims;
import dev.dibs.internal.claims.store.ClaimSizes;
import dev.dibs.internal.claims.store.ClaimSql;
import dev.dibs.internal.instance.Context;
import dev.dibs.internal.schema.Errors;
import dev.dibs.internal.sql.call.Call;
import dev.dibs.internal.sql.call.Database;
import dev.dibs.internal.sql.call.Params;
import dev.dibs.internal.sql.errors.SqlFailure;
import dev.dibs.internal.sql.files.SqlName;
import dev.dibs.internal.sql.files.Statements;
import dev.dibs.internal.values.Arguments;
import dev.dibs.internal.values.RunLimits;
import dev.dibs.internal.values.Strings;
import dev.dibs.runs.DeadLetter;
import dev.dibs.runs.Run;
import dev.dibs.runs.RunError;
import dev.dibs.runs.RunState;
import dev.dibs.runs.RunStatus;
import dev.dibs.runs.RunWorkerInfo;
import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/** A run, by its row in the database. */
final class DatabaseRun implements Run {

    private static final double MILLI = 1000;

    /** Without an index the statement reads the whole table. */
    private static final Duration GATE_TIMEOUT = Duration.ofMinutes(5);

    private final Context context;
    private final Set<LocalWorkers<?>> open;
    private final RunWakes wakes;
    private final RunTable table;

    /**
     * For one run.
     *
     * @param open the workers of this process that have started and not ended
     */
    DatabaseRun(Context context, Set<LocalWorkers<?>> open, RunWakes wakes, RunTable table) {
        this.context = context;
        this.open = open;
        this.wakes = wakes;
        this.table = table;
    }

    @Override
    public String name() {
        return table.name();
    }

    @Override
    public <T> RunSpec<T> over(RowClaims<T> claims) {
        if (!(Arguments.required("object with the claims", claims) instanceof DatabaseClaims<T> ours)) {
            throw new IllegalArgumentException("a run needs claims that were made with Dibs.claims(..), not " + claims);
        }
        if (!ours.engine().store().hasLease()) {
            throw new IllegalArgumentException(
                    "a run needs claims that end by time, or the rows of a worker that vanished"
                            + " would be lost: name a column with until(..), or use sideTable() or ranges(..)");
        }
        return new RunSpec<>(new RunOptions<>(context, table, ours.engine(), wakes), open);
    }

    @Override
    public Optional<RunStatus> status() {
        return context.ask(() -> {
            Optional<RunRow> row = table.read();
            return row.isEmpty() ? Optional.empty() : Optional.of(status(row.get(), table.workers()));
        });
    }

    /** It sends as many statements as for one run. */
    static List<RunStatus> all(Database database) throws SqlFailure {
        List<RunRow> rows = RunTable.list(database);
        if (rows.isEmpty()) {
            return List.of();
        }
        Map<String, List<RunWorkerInfo>> workers = RunTable.allWorkers(database);
        return rows.stream()
                .map(row -> status(row, workers.getOrDefault(row.name(), List.of())))
                .toList();
    }

    private static RunStatus status(RunRow row, List<RunWorkerInfo> workers) {
        return new RunStatus(
                row.name(),
                row.state(),
                Strings.orEmpty(row.changedBy()),
                Instant.ofEpochMilli(row.changedAt()),
                Strings.orEmpty(row.reason()),
                row.batch(),
                row.rate() / MILLI,
                row.maxFailures(),
                row.maxPercent(),
                row.total() == null ? OptionalLong.empty() : OptionalLong.of(row.total()),
                Math.max(0, workers.stream().mapToLong(RunWorkerInfo::done).sum() - row.doneBefore()),
                Math.max(0, workers.stream().mapToLong(RunWorkerInfo::failed).sum() - row.failedBefore()),
                row.retrying() + row.deadToRetry(),
                row.dead(),
                row.deadBefore(),
                workers.stream().mapToDouble(RunWorkerInfo::rowsPerSecond).sum(),
                Instant.ofEpochMilli(row.startedAt()),
                Optional.ofNullable(row.finishedAt()).map(Instant::ofEpochMilli),
                Instant.ofEpochMilli(row.readAt()),
                workers);
    }

    @Override
    public void pause(String reason) {
        change(RunState.PAUSED, reason);
    }

    @Override
    public void resume(String reason) {
        change(RunState.RUNNING, reason);
    }

    @Override
    public void stop(String reason) {
        change(RunState.STOPPED, reason);
    }

    private void change(RunState state, String reason) {
        Arguments.required("reason", reason);
        set(() -> table.change(state, context.holder(), reason));
        // Else idle workers would see it only when their next look is due.
        wakes.wake(name());
    }

    @Override
    public void wake() {
        context.requireOpen();
        wakes.wake(name());
    }

    @Override
    public void wake(Connection connection) {
        Connection given = Arguments.required("connection", connection);
        context.requireOpen();
        try {
            wakes.wake(name(), given);
        } catch (SqlFailure e) {
            throw context.errors().explainJoined(e);
        }
    }

    @Override
    public void setBatch(int rows) {
        ClaimSizes.check(rows);
        set(() -> table.set("set_run_batch", rows));
    }

    @Override
    public void setRate(double rowsPerSecond) {
        long rate = RunOptions.checkRate(rowsPerSecond);
        set(() -> table.set("set_run_rate", rate));
    }

    @Override
    public void setMaxFailures(long attempts) {
        RunLimits.checkNotNegative("maxFailures", attempts);
        set(() -> table.set("set_run_failures", attempts));
    }

    @Override
    public void setMaxFailurePercent(int percent) {
        RunLimits.checkPercent(percent);
        set(() -> table.set("set_run_percent", percent));
    }

    @Override
    public List<RunError> errors(int limit) {
        return askThere(() -> table.errors(Math.min(limit, LONGEST_LIST)));
    }

    @Override
    public List<DeadLetter> dead(int limit) {
        return askThere(() -> table.failedRows("dead", Math.min(limit, LONGEST_LIST)).stream()
                .map(row -> new DeadLetter(
                        row.key(),
                        row.attempts(),
                        Instant.ofEpochMilli(row.failedAt()),
                        Strings.orEmpty(row.message())))
                .toList());
    }

    @Override
    public long retryDead() {
        long freed = askThere(table::retryDead);
        wakes.wake(name());
        return freed;
    }

    @Override
    public void reset() {
        Boolean unused = askThere(() -> {
            long alive = table.workers().stream().filter(RunWorkerInfo::alive).count();
            if (alive > 0) {
                throw new DibsException("the run '" + name() + "' cannot be reset, since workers of it are alive: "
                        + alive + ". Stop it first, and try again when they have ended");
            }
            table.reset();
            return true;
        });
    }

    @Override
    public boolean isFinished(String tableName, String where) {
        Arguments.required("table", tableName);
        Statements statements = context.database().statements();
        Map<String, String> texts = Map.of(
                "table",
                SqlName.table(tableName, statements.fragment("quote")),
                "where",
                "(" + ClaimSql.check("where", where) + ")");
        Call<Boolean> open = Call.of(statements.only("open_rows", texts), "open_rows", Params.none(), row -> true);
        return askThere(() -> {
            boolean settled = isSettled();
            context.database().transact(List.of(open), GATE_TIMEOUT);
            return settled && open.rows().isEmpty() && isSettled();
        });
    }

    /**
     * Returns only if no row is left. A dead row that is retried becomes open, and may die again. So the dead rows, and those to be
     * retried, are counted before the open ones, and again after them.
     */
    void ensureFinished(ClaimEngine<?> claims) {
        boolean settled = context.ask(this::isSettled);
        int dead = context.ask(claims::dead).size();
        boolean left = context.ask(claims::isSomethingLeft);
        dead = Math.max(dead, context.ask(claims::dead).size());
        settled &= context.ask(this::isSettled);
        RunStatus status = status().orElseThrow(() -> new DibsException("the run '" + name() + "' was never started"));
        if (left || dead > 0 || !settled) {
            long others = dead - status.dead() - status.retrying();
            throw new DibsException("the run '" + name() + "' is not finished: "
                    + (left ? "rows are left in the table; " : "")
                    + status.done() + " rows are done"
                    + (status.total().isPresent() ? " of " + status.total().getAsLong() : "") + ", "
                    + status.retrying() + " wait for another attempt, " + status.dead()
                    + " are dead; when a worker looked last it was "
                    + RunRow.text(status.state())
                    + (others > 0
                            ? "; " + others + " more rows are dead that a run of another name gave up: call"
                                    + " retryDead() of that run, or start this one, whose retryDead() then"
                                    + " frees them, too"
                            : ""));
        }
    }

    /** Whether no row is dead, or was so and has not been freed yet. */
    private boolean isSettled() throws SqlFailure {
        return table.read().stream().allMatch(run -> run.dead() + run.deadToRetry() == 0);
    }

    private void set(Errors.Question<Boolean> change) {
        if (!context.ask(change)) {
            throw missing();
        }
    }

    private DibsException missing() {
        return new DibsException("there is no run '" + name() + "': it was never started; see 'dibs run list'");
    }

    /** A run that does not exist is an error: a mistyped name must not look like good news. */
    private <R> R askThere(Errors.Question<R> question) {
        return context.ask(() -> {
            if (table.read().isEmpty()) {
                throw missing();
            }
            return question.ask();
        });
    }

    @Override
    public String toString() {
        return "Run[" + Strings.escape(name()) + "]";
    }
}
