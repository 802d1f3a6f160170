package dev.dibs.claims;

import java.sql.ResultSet;
import java.sql.SQLException;

/**
 * Makes an object of a claimed row.
 *
 * @param <T> what it makes
 */
@FunctionalInterface
public interface RowMapper<T> {

    /**
     * Reads the row that the result stands on, by column names as the table has them. Must not move on.
     *
     * @throws SQLException if a column cannot be read; the row counts as not to be mapped, and the others are not affected
     */
    T map(ResultSet row) throws SQLException;
}
