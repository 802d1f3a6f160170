package dev.dibs.internal.sql;

import java.util.List;

/**
 * What a statement answered.
 *
 * @param rows the rows of all results that it returned
 * @param changed the last update count, 0 if there was none
 */
public record Answer<T>(List<T> rows, long changed) {

    /** Whether the statement hit a row: it returned one, or changed one. */
    public boolean hit() {
        return !rows.isEmpty() || changed > 0;
    }
}
