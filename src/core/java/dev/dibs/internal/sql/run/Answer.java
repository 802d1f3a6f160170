package dev.dibs.internal.sql.run;

import java.util.List;

/**
 * The answer to a statement.
 *
 * @param rows the rows of all results that it returned
 * @param changed the last update count, 0 if there was none
 */
public record Answer<T>(List<T> rows, long changed) {

    /** Whether the statement found a row: it returned one, or changed one. */
    public boolean hit() {
        return !rows.isEmpty() || changed > 0;
    }
}
