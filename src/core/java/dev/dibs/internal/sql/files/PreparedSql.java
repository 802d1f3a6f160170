package dev.dibs.internal.sql.files;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * One text for JDBC: every {@code :name} outside of quotes, comments and brackets became a {@code ?}.
 *
 * @param jdbc the text to prepare
 * @param parameters the name for each {@code ?}, in order
 * @param when the condition under which it is sent
 * @param key the column that comes back as a generated key; null if the statement itself returns rows
 */
public record PreparedSql(
        String jdbc,
        List<String> parameters,
        StepCondition when,
        @Nullable String key) {

    /** In the words of all databases that have such statements. A block with a transaction of its own may have sent rows before its end. */
    private static final Pattern RETURNS_CHANGES =
            Pattern.compile("\\b(RETURNING|OUTPUT|(FINAL|NEW|OLD) TABLE|COMMIT)\\b");

    private static final Pattern QUERY =
            Pattern.compile("\\(?SELECT\\b|WITH\\b|DECLARE\\b|SET STATEMENT\\b[^;]*?\\bFOR\\s+\\(?SELECT\\b");

    private static final Pattern SEPARATOR = Pattern.compile(";");

    private static final Pattern COMMIT = Pattern.compile("\\bCOMMIT\\b");

    private static final Pattern CHANGES =
            Pattern.compile("\\b(INSERT|(?<!FOR (NO KEY )?)UPDATE|DELETE|MERGE|TRUNCATE|CREATE|ALTER|DROP|CALL"
                    + "|EXEC(UTE)?|COMMIT)\\b");

    /** Quotes, brackets and comments up to their ends, casts, parameters and markers. Where none can begin is seen at once. */
    private static final Pattern NOT_PLAIN =
            Pattern.compile("(?=['\"`\\[/:?-])(?:'[^']*+'?|\"[^\"]*+\"?|`[^`]*+`?|\\[[^]]*+]?"
                    + "|--[^\\n]*+|/\\*(?s:.*?)(?:\\*/|\\z)|::|:([a-z_][a-z0-9_]*+)|\\?)");

    PreparedSql(String jdbc, List<String> parameters, StepCondition when) {
        this(jdbc, parameters, when, null);
    }

    /** The text with another marker in place of each {@code ?}, as long as there are some. */
    public String withMarkers(List<String> markers) {
        Iterator<String> next = markers.iterator();
        return NOT_PLAIN
                .matcher(jdbc)
                .replaceAll(found -> Matcher.quoteReplacement(
                        found.group().equals("?") && next.hasNext() ? next.next() : found.group()));
    }

    /** Whether it may return rows before it has committed what it changes. */
    public boolean returnsChanges() {
        return has(RETURNS_CHANGES);
    }

    /** Whether it may change rows; only a query does not. */
    public boolean changes() {
        return !QUERY.matcher(jdbc).lookingAt() || has(CHANGES);
    }

    /** Whether it has several statements, as a block does. */
    public boolean isSeveral() {
        return has(SEPARATOR);
    }

    /** Whether it commits. */
    public boolean commits() {
        return has(COMMIT);
    }

    /** Outside of quotes, whose words are no keywords. */
    private boolean has(Pattern keywords) {
        return keywords.matcher(NOT_PLAIN.matcher(jdbc).replaceAll(" ")).find();
    }

    /** Several texts as one, for a database that takes many statements at once. */
    public static PreparedSql join(List<PreparedSql> texts) {
        List<String> parameters =
                texts.stream().flatMap(text -> text.parameters().stream()).toList();
        String statements = texts.stream().map(PreparedSql::jdbc).collect(Collectors.joining(";\n"));
        return new PreparedSql(statements, parameters, StepCondition.ALWAYS);
    }

    static PreparedSql parse(String text, StepCondition when, @Nullable String key) {
        List<String> names = new ArrayList<>();
        String jdbc = NOT_PLAIN.matcher(text).replaceAll(found -> {
            String name = found.group(1);
            if (name == null) {
                return Matcher.quoteReplacement(found.group());
            }
            names.add(name);
            return "?";
        });
        return new PreparedSql(jdbc, List.copyOf(names), when, key);
    }
}
