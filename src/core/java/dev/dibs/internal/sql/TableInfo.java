package dev.dibs.internal.sql;

import java.util.List;
import java.util.Set;

/**
 * What the database's catalog says of a table.
 *
 * @param nullable the columns that may be NULL
 * @param primaryKey the columns of the primary key, in its order; empty if there is none
 * @param indexes all of them, those of constraints too
 */
public record TableInfo(Set<String> nullable, List<String> primaryKey, List<IndexInfo> indexes) {}
