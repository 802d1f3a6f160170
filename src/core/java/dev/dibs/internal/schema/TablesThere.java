package dev.dibs.internal.schema;

import dev.dibs.internal.sql.call.Database;
import dev.dibs.internal.sql.call.Params;
import dev.dibs.internal.sql.errors.SqlFailure;
import dev.dibs.internal.sql.files.SchemaTables;
import dev.dibs.internal.sql.files.TableSql;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** The existing tables, their columns and their forms, as the database's catalog reported them. */
public final class TablesThere {

    private static final Duration TIMEOUT = Duration.ofSeconds(30);

    private final SchemaTables schema;
    private final Map<String, Set<String>> columns = new HashMap<>();
    private final Map<String, String> forms = new HashMap<>();

    private TablesThere(SchemaTables schema) {
        this.schema = schema;
    }

    /** Asks for all tables in one statement. It is no error if there is none. */
    static TablesThere ask(Database database) throws SqlFailure {
        TablesThere there = none(database.statements().schema());
        database.call("find_columns", Params.none(), TIMEOUT, there::add);
        return there;
    }

    private boolean add(ResultSet column) throws SQLException {
        String table = column.getString("in_table");
        forms.put(table, column.getString("form").strip());
        return columns.computeIfAbsent(table, name -> new HashSet<>())
                .add(column.getString("name").toLowerCase(Locale.ROOT));
    }

    static TablesThere none(SchemaTables schema) {
        return new TablesThere(schema);
    }

    /** With one more table, as it answered itself. */
    void add(TableSql table, Set<String> found) {
        columns.put(table.name(), found);
    }

    public boolean isEmpty() {
        return columns.isEmpty();
    }

    public List<TableSql> all() {
        return schema.all().stream().filter(this::has).toList();
    }

    boolean has(TableSql table) {
        return columns.containsKey(table.name());
    }

    /** The columns, in lower case; an empty set for a missing table. */
    Set<String> columns(TableSql table) {
        return columns.getOrDefault(table.name(), Set.of());
    }

    /** The database's word for it, if it is no ordinary table: a view, or a partitioned table. Else an empty text. */
    String form(TableSql table) {
        return forms.getOrDefault(table.name(), "");
    }

    /** The capabilities with at least one existing table. */
    public Set<String> capabilities() {
        return all().stream().map(TableSql::capability).collect(Collectors.toCollection(LinkedHashSet::new));
    }

    /** The capabilities without any existing table. */
    public Set<String> absent() {
        Set<String> absent = schema.capabilities();
        absent.removeAll(capabilities());
        return absent;
    }
}
