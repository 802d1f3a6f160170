package dev.dibs.internal.sql;

import java.sql.ResultSet;
import java.sql.SQLException;

/** Reads the row that the result set stands on. */
@FunctionalInterface
public interface RowReader<T> {

    /** Reads the row; must not move on. */
    T read(ResultSet row) throws SQLException;
}
