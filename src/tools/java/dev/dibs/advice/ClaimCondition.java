package dev.dibs.advice;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * The user's {@code where}, split at its ANDs, as far as the choice of an index needs it.
 *
 * @param parts conditions that must all hold
 */
record ClaimCondition(List<Part> parts) {

    private static final String VALUE = "(?:- )?(?:N )?\\Q" + ClaimColumns.LITERAL + "\\E(?: :: \\w+)?";
    private static final String COLUMN = "\\Q" + ClaimColumns.COLUMN + "\\E";

    /** One value, so that behind the column, the index has rows in order. */
    private static final Pattern EXACT = Pattern.compile(
            COLUMN + " = (?:" + VALUE + "|TRUE|FALSE)|" + COLUMN + " IS (?:NULL|TRUE|FALSE)|(?:NOT )?" + COLUMN);

    private static final Pattern COMPARISON = Pattern.compile(COLUMN + " (?:=|<>|!=|<|<=|>|>=) " + VALUE + "|" + COLUMN
            + " IS (?:NOT )?NULL|" + COLUMN + " IN \\( " + VALUE + "(?: , " + VALUE + ")* \\)");

    /** An expression that may give another answer tomorrow, or reads another table. A word before a parenthesis counts as a function. */
    private static final Pattern NOT_FIXED = Pattern.compile(
            "\\b(?:SELECT|CURRENT_\\w+|LOCALTIME\\w*|SESSION_USER|USER)\\b|(?<![\\w])(?!(?:IN|NOT|AND|OR|ANY|ALL|WHEN|THEN|ELSE"
                    + "|IS|BETWEEN|LIKE|COALESCE|LOWER|UPPER) \\()\\w+ \\(");

    private static final Pattern ELSEWHERE = Pattern.compile("\\bSELECT\\b");

    /**
     * A condition without AND.
     *
     * @param columns the columns that it names, with their spelling there
     * @param shape see {@link ClaimColumns#shape}
     * @param hasAlias see {@link ClaimColumns#hasAlias}
     */
    record Part(String text, Map<String, String> columns, String shape, boolean hasAlias) {

        /** Whether it admits only one value of its column. */
        boolean isExact() {
            return EXACT.matcher(shape).matches();
        }

        boolean isComparison() {
            return COMPARISON.matcher(shape).matches();
        }

        /** Whether it depends only on the row. */
        boolean isFixed() {
            return !NOT_FIXED.matcher(shape).find();
        }

        boolean looksElsewhere() {
            return ELSEWHERE.matcher(shape).find();
        }
    }

    static ClaimCondition of(String where, ClaimColumns columns) {
        List<Part> parts = new ArrayList<>();
        for (String text : split(where)) {
            parts.add(new Part(text, columns.in(text), columns.shape(text), ClaimColumns.hasAlias(text)));
        }
        return new ClaimCondition(List.copyOf(parts));
    }

    /** The columns that can have only one value, with their names. */
    Map<String, String> exact() {
        Map<String, String> exact = new LinkedHashMap<>();
        parts.stream().filter(Part::isExact).forEach(part -> part.columns().forEach(exact::putIfAbsent));
        return exact;
    }

    /** All columns that are named, with their names. */
    Map<String, String> columns() {
        Map<String, String> all = new LinkedHashMap<>();
        parts.forEach(part -> part.columns().forEach(all::putIfAbsent));
        return all;
    }

    /** Whether nothing can be said about it, since its columns may belong to another table. */
    boolean isOpaque() {
        return !parts.isEmpty() && parts.stream().allMatch(Part::looksElsewhere);
    }

    private static Set<String> split(String text) {
        String inner = withoutParentheses(text.strip());
        List<SqlWord> words = SqlWord.of(inner);
        Set<String> parts = new LinkedHashSet<>();
        int depth = 0;
        int from = 0;
        boolean between = false;
        for (SqlWord word : words) {
            depth += word.depth();
            if (depth > 0) {
                continue;
            }
            if (word.is("OR") || word.is("XOR")) {
                return Set.of(inner);
            }
            if (word.is("AND") && !between) {
                parts.addAll(split(inner.substring(from, word.start())));
                from = word.end();
            }
            between = word.is("BETWEEN") || (between && !word.is("AND"));
        }
        if (from == 0) {
            return inner.isEmpty() ? Set.of() : Set.of(inner);
        }
        parts.addAll(split(inner.substring(from)));
        return parts;
    }

    private static String withoutParentheses(String text) {
        List<SqlWord> words = SqlWord.of(text);
        if (words.size() < 2 || !words.get(0).is("(")) {
            return text;
        }
        int depth = 0;
        for (SqlWord word : words) {
            depth += word.depth();
            if (depth == 0) {
                return word.end() == text.length()
                        ? withoutParentheses(text.substring(1, word.start()).strip())
                        : text;
            }
        }
        return text;
    }
}
