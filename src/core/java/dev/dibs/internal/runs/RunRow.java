package dev.dibs.internal.runs;

import dev.dibs.internal.sql.call.RowReader;
import dev.dibs.runs.RunState;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The row of a run and the number of its failed rows, as {@code read_run} returns it; times in milliseconds by the database's clock.
 *
 * @param retrying failed rows that are tried again
 * @param deadToRetry dead rows that are to be tried again, and that no worker has freed yet
 * @param deadBefore the dead rows that were so before the run was started
 */
record RunRow(
        String name,
        RunState state,
        @Nullable String changedBy,
        long changedAt,
        @Nullable String reason,
        long batch,
        long rate,
        long maxFailures,
        long maxPercent,
        @Nullable Long total,
        long startedAt,
        @Nullable Long finishedAt,
        long doneBefore,
        long failedBefore,
        long readAt,
        long retrying,
        long deadToRetry,
        long dead,
        long deadBefore) {

    static RunRow read(ResultSet row) throws SQLException {
        return new RunRow(
                row.getString("dibs_run"),
                state(row.getString("state")),
                row.getString("changed_by"),
                row.getLong("changed_at"),
                row.getString("reason"),
                row.getLong("batch"),
                row.getLong("rate"),
                row.getLong("max_failures"),
                row.getLong("max_percent"),
                RowReader.number(row, "total"),
                row.getLong("started_at"),
                RowReader.number(row, "finished_at"),
                row.getLong("done_before"),
                row.getLong("failed_before"),
                row.getLong("read_at"),
                row.getLong("retrying"),
                row.getLong("wanted"),
                row.getLong("dead"),
                row.getLong("dead_before"));
    }

    /** A state, as the table and messages name it. */
    static String text(RunState state) {
        return state.name().toLowerCase(Locale.ROOT);
    }

    static RunState state(String text) {
        return RunState.valueOf(text.strip().toUpperCase(Locale.ROOT));
    }
}
