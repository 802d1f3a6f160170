package dev.dibs.internal.sql.call;

import java.sql.ResultSet;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** Reads the current row of a result set. */
@FunctionalInterface
public interface RowReader<T> {

    /** Reads the row; must not move on. Null for a row that only says that something is missing in the answer. */
    @Nullable
    T read(ResultSet row) throws SQLException;

    /** A number that may be NULL. */
    static @Nullable Long number(ResultSet row, String column) throws SQLException {
        long number = row.getLong(column);
        return row.wasNull() ? null : number;
    }
}
