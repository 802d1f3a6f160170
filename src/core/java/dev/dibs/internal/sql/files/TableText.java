package dev.dibs.internal.sql.files;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A CREATE TABLE statement of the schema files. By their rule, each column has a line of its own, indented by four blanks. So the file is
 * the only place that lists the columns.
 */
public final class TableText {

    private static final String CREATE = "create_";
    private static final Pattern TABLE =
            Pattern.compile("CREATE TABLE (?:IF NOT EXISTS )?(.+) \\($", Pattern.MULTILINE);
    private static final String INDENT = "    ";

    private final String statement;
    private final String capability;
    private final String name;
    private final Map<String, String> columns = new LinkedHashMap<>();

    TableText(String statement, String capability, String text) {
        this.statement = statement;
        this.capability = capability;
        Matcher table = TABLE.matcher(text);
        if (!table.find()) {
            throw new IllegalArgumentException("statement '" + statement + "' has no CREATE TABLE");
        }
        this.name = table.group(1);
        text.lines().forEach(this::addColumn);
    }

    private void addColumn(String line) {
        int end = line.startsWith(INDENT) ? line.indexOf(' ', INDENT.length()) : -1;
        if (end > INDENT.length() && isName(line, INDENT.length(), end)) {
            String type = line.substring(end).strip();
            columns.put(
                    line.substring(INDENT.length(), end),
                    type.endsWith(",") ? type.substring(0, type.length() - 1) : type);
        }
    }

    /** Words in capitals are no columns. */
    private static boolean isName(String line, int from, int to) {
        for (int i = from; i < to; i++) {
            char c = line.charAt(i);
            if ((c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '_') {
                return false;
            }
        }
        return true;
    }

    public static boolean isOne(String statement) {
        return statement.startsWith(CREATE);
    }

    public String createStatement() {
        return statement;
    }

    /** The capability of the table, by its name of the schema file. */
    public String capability() {
        return capability;
    }

    /** The table's name, with its schema and prefix. */
    public String name() {
        return name;
    }

    public List<String> columns() {
        return List.copyOf(columns.keySet());
    }

    /** The column's name and type, as after ALTER TABLE .. ADD. */
    public String definition(String column) {
        return column + " " + columns.get(column);
    }
}
