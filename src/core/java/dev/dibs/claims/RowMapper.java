package dev.dibs.claims;

import java.sql.ResultSet;
import java.sql.SQLException;

/**
 * Makes an object from a claimed row.
 *
 * @param <T> the type that it makes
 */
@FunctionalInterface
public interface RowMapper<T> {

    /**
     * Reads the current row of the result, by the table's column names. Must not move to another row.
     *
     * @throws SQLException if a column cannot be read; the row counts as one that cannot be mapped, and the others are not affected
     */
    T map(ResultSet row) throws SQLException;
}
