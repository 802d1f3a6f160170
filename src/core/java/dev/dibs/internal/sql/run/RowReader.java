package dev.dibs.internal.sql.run;

import java.sql.ResultSet;
import java.sql.SQLException;

/** Reads the current row of a result set. */
@FunctionalInterface
public interface RowReader<T> {

    /** Reads the row; must not move on. */
    T read(ResultSet row) throws SQLException;
}
