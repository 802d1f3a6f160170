package dev.dibs.internal.sql.catalog;

import dev.dibs.internal.sql.files.NamePart;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Looks a table up in the database's catalog, as the driver shows it. */
public final class Catalog {

    private final Connection connection;
    private final DatabaseMetaData meta;
    private final Map<String, String> filters;
    private final Map<String, String> rules;

    /**
     * Over a connection.
     *
     * @param filters the conditions of the table's indexes, by their names, where the driver does not report them
     * @param rules those of its constraints
     */
    public Catalog(Connection connection, Map<String, String> filters, Map<String, String> rules) throws SQLException {
        this.connection = connection;
        this.meta = connection.getMetaData();
        this.filters = filters;
        this.rules = rules;
    }

    /** The address of a table. A database has catalogs, schemas or both. */
    private record TableAddress(
            @Nullable String catalog, @Nullable String schema, String table) {}

    /**
     * The table of this name. If the name has no schema, the connection's own schema comes first.
     *
     * @param name table, schema.table or catalog.schema.table
     */
    public Optional<TableInfo> table(List<NamePart> name) throws SQLException {
        TableAddress address = find(name);
        return address == null
                ? Optional.empty()
                : Optional.of(new TableInfo(nullable(address), primaryKey(address), indexes(address), rules));
    }

    private @Nullable TableAddress find(List<NamePart> name) throws SQLException {
        NamePart table = name.get(name.size() - 1);
        if (name.size() > 1) {
            NamePart qualifier = name.get(name.size() - 2);
            for (String spelling : spellings(qualifier)) {
                TableAddress address = meta.supportsSchemasInTableDefinitions()
                        ? find(connection.getCatalog(), spelling, table)
                        : find(spelling, null, table);
                if (address != null) {
                    return address;
                }
            }
            return null;
        }
        TableAddress own = find(connection.getCatalog(), connection.getSchema(), table);
        return own != null || connection.getSchema() == null ? own : find(connection.getCatalog(), null, table);
    }

    private @Nullable TableAddress find(@Nullable String catalog, @Nullable String schema, NamePart table)
            throws SQLException {
        for (String spelling : spellings(table)) {
            try (ResultSet found = meta.getTables(catalog, pattern(schema), pattern(spelling), null)) {
                while (found.next()) {
                    // The database has compared by its own rule for case; only its wildcards must be checked again.
                    String name = found.getString("TABLE_NAME");
                    String owner = found.getString("TABLE_SCHEM");
                    boolean same =
                            spelling.equalsIgnoreCase(name) && (schema == null || schema.equalsIgnoreCase(owner));
                    if (same && !isSystem(found.getString("TABLE_TYPE"))) {
                        return new TableAddress(catalog, owner, name);
                    }
                }
            }
        }
        return null;
    }

    private static boolean isSystem(@Nullable String type) {
        return type != null && (type.contains("SYSTEM") || type.contains("INDEX") || type.contains("SEQUENCE"));
    }

    /** The catalog may have another case for a name that was not quoted. */
    private Set<String> spellings(NamePart name) throws SQLException {
        Set<String> spellings = new LinkedHashSet<>();
        if (!name.exact() && meta.storesUpperCaseIdentifiers()) {
            spellings.add(name.text().toUpperCase(Locale.ROOT));
        }
        if (!name.exact() && meta.storesLowerCaseIdentifiers()) {
            spellings.add(name.text().toLowerCase(Locale.ROOT));
        }
        spellings.add(name.text());
        return spellings;
    }

    /**
     * Where JDBC expects a pattern, an underscore stands for any character. So the results are checked again. It is escaped only where the
     * name itself would look like an escape: not every server understands the driver's escape.
     */
    private @Nullable String pattern(@Nullable String name) throws SQLException {
        String escape = meta.getSearchStringEscape();
        if (name == null || escape == null || escape.isEmpty() || !name.contains(escape)) {
            return name;
        }
        return name.replace(escape, escape + escape).replace("_", escape + "_").replace("%", escape + "%");
    }

    private Set<String> nullable(TableAddress address) throws SQLException {
        Set<String> names = new HashSet<>();
        try (ResultSet columns =
                meta.getColumns(address.catalog(), pattern(address.schema()), pattern(address.table()), null)) {
            while (columns.next()) {
                if (address.table().equals(columns.getString("TABLE_NAME"))
                        && Objects.equals(address.schema(), columns.getString("TABLE_SCHEM"))
                        && columns.getInt("NULLABLE") != DatabaseMetaData.columnNoNulls) {
                    names.add(columns.getString("COLUMN_NAME"));
                }
            }
        }
        return names;
    }

    private List<String> primaryKey(TableAddress address) throws SQLException {
        Map<Integer, String> columns = new TreeMap<>();
        try (ResultSet key = meta.getPrimaryKeys(address.catalog(), address.schema(), address.table())) {
            while (key.next()) {
                columns.put(key.getInt("KEY_SEQ"), key.getString("COLUMN_NAME"));
            }
        }
        return List.copyOf(columns.values());
    }

    private List<IndexInfo> indexes(TableAddress address) throws SQLException {
        Map<String, IndexInfo> indexes = new LinkedHashMap<>();
        // Approximate: for exact statistics some databases would count the table.
        try (ResultSet row = meta.getIndexInfo(address.catalog(), address.schema(), address.table(), false, true)) {
            while (row.next()) {
                String name = row.getString("INDEX_NAME");
                if (name != null && row.getShort("TYPE") != DatabaseMetaData.tableIndexStatistic) {
                    add(indexes, name, row);
                }
            }
        }
        return List.copyOf(indexes.values());
    }

    private void add(Map<String, IndexInfo> indexes, String name, ResultSet row) throws SQLException {
        String column = row.getString("COLUMN_NAME");
        boolean descending = "D".equals(row.getString("ASC_OR_DESC"));
        boolean unique = !row.getBoolean("NON_UNIQUE");
        String filter = filters.getOrDefault(name, row.getString("FILTER_CONDITION"));
        IndexInfo index = indexes.computeIfAbsent(
                name,
                any -> new IndexInfo(
                        name, unique, new ArrayList<>(), filter == null || filter.isBlank() ? null : filter));
        index.columns().add(new IndexInfo.Column(column == null ? "" : column, descending));
    }
}
