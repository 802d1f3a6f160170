package dev.dibs.internal.sql.run;

import java.util.List;
import java.util.Optional;

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

    /** The first row, if there is one. */
    public Optional<T> first() {
        return rows.stream().findFirst();
    }
}
