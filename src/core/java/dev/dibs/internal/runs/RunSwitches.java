package dev.dibs.internal.runs;

import dev.dibs.internal.sql.call.RowReader;
import dev.dibs.runs.RunState;
import java.sql.ResultSet;
import java.sql.SQLException;

/**
 * What a worker must know of its run with each claim, as {@code read_switches} returns it.
 *
 * @param batch rows per claim
 * @param rate rows in 1000 seconds of all workers; 0 for no limit
 * @param isFinished whether no row was left
 * @param nextAt when the rate allows the next claim, in microseconds
 * @param readAt when this was read, in microseconds by the database's clock
 * @param deadToRetry dead rows that are to be tried again; 0 unless {@code read_idle_run} has returned it
 */
record RunSwitches(
        RunState state, long batch, long rate, boolean isFinished, long nextAt, long readAt, long deadToRetry) {

    private static final int WITH_WANTED = 7;

    static RunSwitches read(ResultSet row) throws SQLException {
        return new RunSwitches(
                RunRow.state(row.getString("dibs_state")),
                row.getLong("batch"),
                row.getLong("rate"),
                RowReader.number(row, "finished_at") != null,
                row.getLong("next_at"),
                row.getLong("read_micros"),
                row.getMetaData().getColumnCount() < WITH_WANTED ? 0 : row.getLong("wanted"));
    }
}
