package dev.dibs.internal.sql.files;

import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The tables of the schema files, and their capabilities. Capabilities have their names of the schema file.
 *
 * @param all in the order in which they must be created
 * @param needs the other capability that a capability needs
 */
public record SchemaTables(List<TableSql> all, Map<String, String> needs) {

    public SchemaTables {
        all = List.copyOf(all);
        needs = Map.copyOf(needs);
    }

    public Set<String> capabilities() {
        return capabilities(all);
    }

    /** The tables of these capabilities and of those that they need; all tables if none is named. */
    public List<TableSql> of(Collection<String> capabilities) {
        Set<String> wanted = withNeeds(capabilities);
        return all.stream()
                .filter(table -> wanted.isEmpty() || wanted.contains(table.capability()))
                .toList();
    }

    public Set<String> withNeeds(Collection<String> capabilities) {
        Set<String> wanted = new LinkedHashSet<>();
        for (String capability : capabilities) {
            String next = capability;
            while (next != null && wanted.add(next)) {
                next = needs.get(next);
            }
        }
        return wanted;
    }

    /** The capabilities whose tables a statement names. */
    Set<String> namedIn(String sql) {
        return capabilities(tablesNamedIn(sql));
    }

    List<TableSql> tablesNamedIn(String sql) {
        return all.stream().filter(table -> isNamed(table.name(), sql)).toList();
    }

    private static boolean isNamed(String table, String sql) {
        return Pattern.compile("(?<!\\w)" + Pattern.quote(table) + "\\b")
                .matcher(sql)
                .find();
    }

    private static Set<String> capabilities(List<TableSql> tables) {
        return tables.stream().map(TableSql::capability).collect(Collectors.toCollection(LinkedHashSet::new));
    }

    /** The names of all tables without the prefix, as rows of VALUES. */
    String names() {
        return all.stream().map(table -> "('" + table.bareName() + "')").collect(Collectors.joining(", "));
    }

    /**
     * The query for the columns of all tables.
     *
     * @param ofOne the query for those of one table
     * @param folded a name without quotes, #, as the catalog has it
     */
    String question(String ofOne, String folded) {
        return all.stream()
                .map(table -> question(ofOne, folded, table.name()))
                .collect(Collectors.joining("\nUNION ALL\n"));
    }

    static String question(String ofOne, String folded, String table) {
        List<NamePart> parts = SqlName.inCatalog(table);
        int last = parts.size() - 1;
        String schema = last == 0 ? "{current_schema}" : schema(parts.get(last - 1), folded);
        return ofOne.replace("{table_name}", parts.get(last).text())
                .replace("{table_schema}", schema)
                .replace("{table}", inLiteral(table));
    }

    private static String schema(NamePart schema, String folded) {
        return schema.exact() ? "'" + inLiteral(schema.text()) + "'" : folded.replace("#", schema.text());
    }

    static String inLiteral(String text) {
        return text.replace("'", "''");
    }
}
