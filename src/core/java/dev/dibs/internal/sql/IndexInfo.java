package dev.dibs.internal.sql;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An index of a table of the user's.
 *
 * @param columns in their order; an expression stands as the driver tells it
 * @param filter the condition of a partial index, as the database writes it; null if the index has all rows
 */
public record IndexInfo(
        String name,
        boolean unique,
        List<Column> columns,
        @Nullable String filter) {

    /** A column of an index, and its direction. */
    public record Column(String name, boolean descending) {}

    /** The same with the condition, which not every driver tells. */
    public IndexInfo filteredBy(@Nullable String condition) {
        return condition == null ? this : new IndexInfo(name, unique, columns, condition);
    }

    /** The names of the columns, in their order. */
    public List<String> columnNames() {
        return columns.stream().map(Column::name).toList();
    }
}
