package dev.dibs.internal.sql.files;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
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
public record SqlText(
        String jdbc,
        List<String> parameters,
        StepCondition when,
        @Nullable String key) {

    /** In the words of all databases that have such statements. */
    private static final Pattern RETURNS_CHANGES = Pattern.compile("\\b(RETURNING|OUTPUT|(FINAL|NEW|OLD) TABLE)\\b");

    private static final Pattern COMMITS = Pattern.compile("\\bCOMMIT\\b");

    private static final Pattern QUERY = Pattern.compile("\\(?SELECT\\b");

    /** Its words are no keywords. */
    private static final Pattern QUOTED_NAME = Pattern.compile("\"[^\"]*\"|`[^`]*`");

    SqlText(String jdbc, List<String> parameters, StepCondition when) {
        this(jdbc, parameters, when, null);
    }

    /** The text with another marker in place of each {@code ?}. */
    public String withMarkers(List<String> markers) {
        return new Scanner(jdbc, markers.iterator()).scan(when).jdbc;
    }

    /** The same, with a generated key as its answer. */
    SqlText returning(@Nullable String column) {
        return column == null ? this : new SqlText(jdbc, parameters, when, column);
    }

    /** Whether it changes rows and returns them, and does not commit by itself. */
    public boolean returnsChanges() {
        String keywords = QUOTED_NAME.matcher(jdbc).replaceAll("");
        return RETURNS_CHANGES.matcher(keywords).find()
                && !COMMITS.matcher(keywords).find();
    }

    /** Whether it may change rows; only a plain query does not. */
    public boolean changes() {
        return !QUERY.matcher(jdbc).lookingAt() || returnsChanges();
    }

    /** Several texts as one, for a database that takes many statements at once. */
    public static SqlText join(List<SqlText> texts) {
        List<String> parameters =
                texts.stream().flatMap(text -> text.parameters().stream()).toList();
        String statements = texts.stream().map(SqlText::jdbc).collect(Collectors.joining(";\n"));
        return new SqlText(statements, parameters, StepCondition.ALWAYS);
    }

    static SqlText parse(String text, StepCondition when) {
        return new Scanner(text, Collections.emptyIterator()).scan(when);
    }

    /** Reads once from left to right, and skips quotes, comments and brackets. */
    private static final class Scanner {

        private final String in;
        private final Iterator<String> markers;
        private final StringBuilder out = new StringBuilder();
        private final List<String> names = new ArrayList<>();
        private int at;

        /**
         * For a text.
         *
         * @param markers the replacements of each {@code ?}; with none, it stays
         */
        Scanner(String in, Iterator<String> markers) {
            this.in = in;
            this.markers = markers;
        }

        SqlText scan(StepCondition when) {
            while (at < in.length()) {
                step();
            }
            return new SqlText(out.toString(), List.copyOf(names), when);
        }

        private void step() {
            char c = in.charAt(at);
            switch (c) {
                case '\'', '"', '`' -> copyThrough(String.valueOf(c), 1);
                case '[' -> copyThrough("]", 1);
                case '-' -> copyCommentOr("--", "\n");
                case '/' -> copyCommentOr("/*", "*/");
                case ':' -> colon();
                case '?' -> marker();
                default -> copy(plain());
            }
        }

        /** The number of plain characters from here on. Special characters are rare, and the texts are long. */
        private int plain() {
            int end = at + 1;
            while (end < in.length() && !isSpecial(in.charAt(end))) {
                end++;
            }
            return end - at;
        }

        private static boolean isSpecial(char c) {
            return switch (c) {
                case '\'', '"', '`', '[', '-', '/', ':', '?' -> true;
                default -> false;
            };
        }

        private void copyCommentOr(String opens, String closes) {
            if (in.startsWith(opens, at)) {
                copyThrough(closes, opens.length());
            } else {
                copy(1);
            }
        }

        /** A doubled quote closes one literal and opens the next, which copies the same characters. */
        private void copyThrough(String closes, int skip) {
            int end = in.indexOf(closes, at + skip);
            copy((end < 0 ? in.length() : end + closes.length()) - at);
        }

        private void marker() {
            if (markers.hasNext()) {
                out.append(markers.next());
                at++;
            } else {
                copy(1);
            }
        }

        private void colon() {
            if (in.startsWith("::", at)) {
                copy(2);
                return;
            }
            int end = at + 1;
            while (end < in.length() && isNamePart(in.charAt(end), end == at + 1)) {
                end++;
            }
            if (end == at + 1) {
                copy(1);
                return;
            }
            names.add(in.substring(at + 1, end));
            out.append('?');
            at = end;
        }

        private static boolean isNamePart(char c, boolean first) {
            return (c >= 'a' && c <= 'z') || c == '_' || (!first && c >= '0' && c <= '9');
        }

        private void copy(int length) {
            out.append(in, at, at + length);
            at += length;
        }
    }
}
