package dev.dibs.internal.sql.files;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A CREATE TABLE statement of the schema files. By their rule, each column has a line of its own, indented by four blanks. So the file is
 * the only place that lists the columns.
 *
 * @param createStatement the name of that statement
 * @param capability of the table, by its name of the schema file
 * @param name with schema and prefix
 * @param definitions the type of each column, and what follows it
 */
public record TableText(String createStatement, String capability, String name, Map<String, String> definitions) {

    private static final String CREATE = "create_";
    private static final Pattern TABLE =
            Pattern.compile("CREATE TABLE (?:IF NOT EXISTS )?(.+) \\($", Pattern.MULTILINE);
    /** Words in capitals are no columns. */
    private static final Pattern COLUMN = Pattern.compile("^ {4}([a-z0-9_]+) +(.*?),?[ \\t]*$", Pattern.MULTILINE);

    static TableText of(String statement, String capability, String text) {
        Matcher table = TABLE.matcher(text);
        if (!table.find()) {
            throw new IllegalArgumentException("statement '" + statement + "' has no CREATE TABLE");
        }
        Map<String, String> columns = new LinkedHashMap<>();
        COLUMN.matcher(text).results().forEach(column -> columns.put(column.group(1), column.group(2)));
        return new TableText(statement, capability, table.group(1), columns);
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

    /** The column's name and type, as after ALTER TABLE .. ADD. */
    public String definition(String column) {
        return column + " " + definitions.get(column);
    }
}
