package dev.dibs.internal.runs;

import java.sql.ResultSet;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

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
