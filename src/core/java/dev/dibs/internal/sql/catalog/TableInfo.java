package dev.dibs.internal.sql.catalog;

import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A table as the database's catalog reports it.
 *
 * @param nullable the columns that may be NULL
 * @param primaryKey the columns of the primary key, in its order; empty if there is none
 * @param indexes all indexes, also those of constraints
 * @param rules the conditions of its constraints, by their names
 */
public record TableInfo(
        Set<String> nullable, List<String> primaryKey, List<IndexInfo> indexes, Map<String, String> rules) {}
