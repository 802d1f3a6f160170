package dev.dibs.internal.sql.run;

import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A table as the database's catalog reports it.
 *
 * @param nullable the columns that may be NULL
 * @param primaryKey the columns of the primary key, in its order; empty if there is none
 * @param indexes all indexes, also those of constraints
 */
public record TableInfo(Set<String> nullable, List<String> primaryKey, List<IndexInfo> indexes) {

    /** The same with the conditions of indexes, by their names. Not every driver reports them. */
    TableInfo filteredBy(Map<String, String> filters) {
        return new TableInfo(
                nullable,
                primaryKey,
                indexes.stream()
                        .map(index -> index.filteredBy(filters.get(index.name())))
                        .toList());
    }
}
