package dev.dibs.internal.sql.files;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Names of tables and columns as users write them: plain, or quoted as in any of the databases, with schema and catalog before them. Any
 * other text never gets into a statement.
 */
public final class SqlName {

    /** A plain name has no #, which begins a comment on MariaDB and MySQL: the rest of the statement would be lost. */
    private static final Pattern PART = Pattern.compile(
            "(?<plain>[\\p{L}_][\\p{L}\\p{N}_$]*)|\"(?<sql>(?:[^\"\\x00]|\"\")+)\"|`(?<mysql>(?:[^`\\x00]|``)+)`"
                    + "|\\[(?<microsoft>(?:[^]\\x00]|]])+)]");

    private static final int PARTS = 3;

    /** Far more than any database allows, and short enough for the pattern, which needs stack for each quoted character. */
    private static final int LONGEST = 1_000;

    private SqlName() {}

    /**
     * A table's name for a statement.
     *
     * @param quote the quotation mark of the database for names
     */
    public static String table(String text, String quote) {
        List<NamePart> parts = parse("table", text);
        if (parts.size() > PARTS) {
            throw new IllegalArgumentException("'" + text + "' has more parts than catalog.schema.table");
        }
        return inStatement(parts, quote);
    }

    /**
     * One spelling for all spellings of the same table: in lower case, except for quoted parts.
     *
     * @param text a name that is known to be one
     */
    public static String scope(String text) {
        StringBuilder scope = new StringBuilder();
        Matcher part = PART.matcher(text);
        while (part.find()) {
            scope.append(scope.isEmpty() ? "" : ".");
            String bare = bareOf(part);
            scope.append(part.group("plain") != null ? bare.toLowerCase(Locale.ROOT) : '"' + bare + '"');
        }
        return scope.toString();
    }

    /** A column's name for a statement. */
    public static String column(String text, String quote) {
        List<NamePart> parts = parse("column", text);
        if (parts.size() > 1) {
            throw new IllegalArgumentException(
                    "'" + text + "' is not a column's name: it has a dot; quote it if it really has");
        }
        return inStatement(parts, quote);
    }

    static String inStatement(List<NamePart> parts, String quote) {
        return parts.stream()
                .map(part -> part.exact() ? quoted(part.text(), quote) : part.text())
                .collect(Collectors.joining("."));
    }

    /** The text in quotation marks, with each of its own doubled. */
    public static String quoted(String text, String quote) {
        return quote + text.replace(quote, quote + quote) + quote;
    }

    /** The last part of a name, without quotes: as it may stand in the catalog, except for its case. A text that is too long is no name. */
    public static String bare(String text) {
        if (text.length() > LONGEST) {
            return text;
        }
        String bare = text;
        Matcher part = PART.matcher(text);
        while (part.find()) {
            bare = bareOf(part);
        }
        return bare;
    }

    /** The same for a text that may be more than one plain or quoted word: then it stays as it is. */
    public static String bareIfWord(String text) {
        Matcher part = PART.matcher(text);
        return text.length() <= LONGEST && part.matches() ? bareOf(part) : text;
    }

    /** The parts of a table's name, without quotes. */
    public static List<NamePart> inCatalog(String text) {
        return parse("table", text);
    }

    /**
     * The parts of a name, without quotes.
     *
     * @param what it names, for the message
     * @throws IllegalArgumentException if it is no name
     */
    static List<NamePart> parse(String what, String text) {
        if (text.length() > LONGEST) {
            throw new IllegalArgumentException("'" + text.substring(0, 40) + "..' is not a " + what + "'s name: it has "
                    + text.length() + " characters");
        }
        List<NamePart> parts = new ArrayList<>();
        Matcher part = PART.matcher(text);
        int at = 0;
        while (true) {
            if (!part.region(at, text.length()).lookingAt()) {
                throw new IllegalArgumentException("'" + text + "' is not a " + what
                        + "'s name: letters, digits and underscores, or quoted as in \"order\"");
            }
            parts.add(new NamePart(bareOf(part), part.group("plain") == null));
            at = part.end();
            if (at == text.length()) {
                return parts;
            }
            if (text.charAt(at) != '.') {
                throw new IllegalArgumentException(
                        "'" + text + "' is not a " + what + "'s name: '" + text.substring(at) + "' follows it");
            }
            at++;
        }
    }

    private static String bareOf(Matcher part) {
        if (part.group("plain") != null) {
            return part.group();
        }
        if (part.group("sql") != null) {
            return part.group("sql").replace("\"\"", "\"");
        }
        return part.group("mysql") != null
                ? part.group("mysql").replace("``", "`")
                : part.group("microsoft").replace("]]", "]");
    }
}
