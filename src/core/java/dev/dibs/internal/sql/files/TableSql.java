package dev.dibs.internal.sql.files;

import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * A CREATE TABLE statement of the schema files. By their rule, each column has a line of its own, indented by four blanks. So the file is
 * the only place that lists the columns.
 *
 * @param createStatement the name of that statement
 * @param capability of the table, by its name of the schema file
 * @param name with schema and prefix
 * @param definitions the type of each column, and what follows it
 * @param exact the columns whose texts are compared exactly
 * @param keys the columns of the primary key, and those of each further unique key
 */
public record TableSql(
        String createStatement,
        String capability,
        String name,
        Map<String, String> definitions,
        Set<String> exact,
        List<List<String>> keys) {

    private static final String CREATE = "create_";
    private static final Pattern TABLE =
            Pattern.compile("CREATE TABLE (?:IF NOT EXISTS )?(.+) \\($", Pattern.MULTILINE);
    /** Words in capitals are no columns. */
    private static final Pattern COLUMN = Pattern.compile("^ {4}([a-z0-9_]+) +(.*?),?[ \\t]*$", Pattern.MULTILINE);

    private static final Pattern KEY = Pattern.compile(
            "^ {4}(?:([a-z0-9_]+) .*PRIMARY KEY|(?:PRIMARY KEY|UNIQUE)[A-Z ]* \\((.+)\\))", Pattern.MULTILINE);
    /** What follows the type of a column. */
    private static final Pattern RULES = Pattern.compile(" (?:DEFAULT|NOT NULL|NULL|PRIMARY KEY)\\b.*");

    /**
     * Reads one.
     *
     * @param raw the text as the file has it, with fragments
     */
    static TableSql of(String statement, String capability, String raw, String text) {
        Matcher table = TABLE.matcher(text);
        if (!table.find()) {
            throw new IllegalArgumentException("statement '" + statement + "' has no CREATE TABLE");
        }
        Map<String, String> columns = new LinkedHashMap<>();
        COLUMN.matcher(text).results().forEach(column -> columns.put(column.group(1), column.group(2)));
        Set<String> exact = COLUMN.matcher(raw)
                .results()
                .filter(column -> column.group(2).contains("{exact}"))
                .map(column -> column.group(1))
                .collect(Collectors.toCollection(LinkedHashSet::new));
        List<List<String>> keys = KEY.matcher(text)
                .results()
                .map(key -> List.of((key.group(1) == null ? key.group(2) : key.group(1)).split(", ", -1)))
                .toList();
        return new TableSql(statement, capability, table.group(1), columns, exact, keys);
    }

    public static boolean isOne(String statement) {
        return statement.startsWith(CREATE);
    }

    /** The name without schema and prefix. */
    String bareName() {
        return createStatement.substring(CREATE.length());
    }

    public List<String> columns() {
        return List.copyOf(definitions.keySet());
    }

    /** The column's type alone. */
    public String type(String column) {
        return RULES.matcher(String.valueOf(definitions.get(column))).replaceFirst("");
    }

    public boolean mayBeNull(String column) {
        return !String.valueOf(definitions.get(column)).contains("NOT NULL");
    }

    /** The column's name and type, as after ALTER TABLE .. ADD. */
    public String definition(String column) {
        return column + " " + definitions.get(column);
    }
}
