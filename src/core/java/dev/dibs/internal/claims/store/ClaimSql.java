package dev.dibs.internal.claims.store;

import dev.dibs.internal.sql.files.SqlName;
import java.util.ArrayList;
import java.util.List;

/** The user's SQL inside a statement of ours. It must be complete in itself, so that it cannot change the text around it. */
public final class ClaimSql {

    private ClaimSql() {}

    /**
     * Returns the text without blanks around it.
     *
     * @param what the name of the setting, for the message
     * @throws IllegalArgumentException if it is empty, or has a comment, a semicolon, a parameter or an unclosed quote or parenthesis
     */
    public static String check(String what, String text) {
        if (text == null || text.isBlank()) {
            throw new IllegalArgumentException(what + " is " + (text == null ? "null" : "empty"));
        }
        int depth = 0;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            switch (c) {
                case '\'', '"', '`', '[' -> i = pastQuoted(what, text, i);
                case '(' -> depth++;
                case ')' -> depth--;
                case ';' -> throw wrong(what, text, "has a semicolon");
                case '-', '/' -> requireNoComment(what, text, i);
                case ':', '?' -> i = doubled(what, text, i);
                default -> {}
            }
            if (depth < 0) {
                throw wrong(what, text, "closes a parenthesis that it did not open");
            }
        }
        if (depth > 0) {
            throw wrong(what, text, "opens a parenthesis that it does not close");
        }
        return text.strip();
    }

    /**
     * Refuses a comment that begins with {@code #}. MariaDB and MySQL know such comments; elsewhere the sign is an operator.
     *
     * @param text {@link #check checked} already
     */
    public static void requireNoHash(String what, String text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '\'' || c == '"' || c == '`') {
                i = closing(what, text, i, c);
            } else if (c == '#') {
                throw wrong(what, text, "has a comment");
            }
        }
    }

    /**
     * The columns that assignments set, without quotes. A list of columns, as in {@code (a, b) = (1, 2)}, counts too.
     *
     * @param assignments {@link #check checked} already
     */
    public static List<String> assigned(String assignments) {
        List<String> columns = new ArrayList<>();
        int depth = 0;
        boolean target = true;
        int from = 0;
        for (int i = 0; i < assignments.length(); i++) {
            char c = assignments.charAt(i);
            i = pastQuoted("completeSet", assignments, i);
            depth += deeper(c);
            boolean ends = target && (c == '=' || c == ',' || c == ')');
            if (ends && !assignments.substring(from, i).isBlank()) {
                columns.add(SqlName.bare(assignments.substring(from, i).strip()));
            }
            if (c == '=' && depth == 0) {
                target = false;
            } else if (c == ',' && depth == 0) {
                target = true;
            }
            if (target && (c == ',' || c == '(' || c == ')')) {
                from = i + 1;
            }
        }
        return columns;
    }

    /**
     * What commas separate in an order, but for those within quotes or parentheses.
     *
     * @param order {@link #check checked} already
     */
    public static List<String> terms(String order) {
        List<String> terms = new ArrayList<>();
        int depth = 0;
        int from = 0;
        for (int i = 0; i < order.length(); i++) {
            char c = order.charAt(i);
            i = pastQuoted("orderBy", order, i);
            depth += deeper(c);
            if (c == ',' && depth == 0) {
                terms.add(order.substring(from, i).strip());
                from = i + 1;
            }
        }
        terms.add(order.substring(from).strip());
        return terms;
    }

    private static int deeper(char c) {
        return c == '(' ? 1 : c == ')' ? -1 : 0;
    }

    /** The end of what is quoted from here on; the same place if nothing is. */
    private static int pastQuoted(String what, String text, int from) {
        char c = text.charAt(from);
        return switch (c) {
            case '\'', '"', '`' -> closing(what, text, from, c);
            case '[' -> closing(what, text, from, ']');
            default -> from;
        };
    }

    private static int closing(String what, String text, int from, char closes) {
        int end = text.indexOf(closes, from + 1);
        if (end < 0) {
            throw wrong(what, text, "opens a " + text.charAt(from) + " that it does not close");
        }
        return end;
    }

    private static void requireNoComment(String what, String text, int at) {
        if (text.startsWith("--", at) || text.startsWith("/*", at)) {
            throw wrong(what, text, "has a comment");
        }
    }

    /** A cast is accepted, and the ?? that a driver reads as an operator. A parameter is not, since nothing would bind it. */
    private static int doubled(String what, String text, int at) {
        if (at + 1 < text.length() && text.charAt(at + 1) == text.charAt(at)) {
            return at + 1;
        }
        throw wrong(what, text, "has a parameter, which Dibs would not bind");
    }

    private static IllegalArgumentException wrong(String what, String text, String why) {
        return new IllegalArgumentException(what + " " + why + ": " + text);
    }
}
