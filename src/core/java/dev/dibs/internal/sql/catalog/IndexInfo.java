package dev.dibs.internal.sql.catalog;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An index of a user's table.
 *
 * @param columns in their order; an expression as the driver reports it
 * @param filter the condition of a partial index, as the database writes it; null if the index has all rows
 */
public record IndexInfo(
        String name,
        boolean unique,
        List<Column> columns,
        @Nullable String filter) {

    /** A column of an index, and its direction. */
    public record Column(String name, boolean descending) {}

    /** The names of the columns, in their order. */
    public List<String> columnNames() {
        return columns.stream().map(Column::name).toList();
    }
}
