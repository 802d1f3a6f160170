package dev.dibs.console;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Failures whose errors are equal but for numbers, and for the key of the row: one line instead of a hundred.
 *
 * @param shape their error without numbers and keys
 * @param all the failures, in the order in which they came
 */
record ErrorGroup<T>(String shape, List<T> all) {

    private static final Pattern UUID =
            Pattern.compile("\\b[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}\\b");

    private static final Pattern NUMBER = Pattern.compile("[0-9]+");

    /** The error that is shown for all of them. */
    T first() {
        return all.get(0);
    }

    /** Tells it apart from others, in an attribute. */
    String id() {
        return Integer.toHexString(shape.hashCode());
    }

    /** Failures with equal shapes together, in the order of their first ones. */
    static <T> List<ErrorGroup<T>> of(List<T> failures, Function<T, String> shape) {
        Map<String, List<T>> groups = new LinkedHashMap<>();
        for (T failure : failures) {
            groups.computeIfAbsent(shape.apply(failure), key -> new ArrayList<>())
                    .add(failure);
        }
        return groups.entrySet().stream()
                .map(group -> new ErrorGroup<>(group.getKey(), group.getValue()))
                .toList();
    }

    /** An error without what differs from row to row: the row's key as a word, identifiers, and numbers. */
    static String shape(String error, String key) {
        String shape = error;
        if (!key.isBlank()) {
            shape = Pattern.compile("(?<![\\p{L}\\p{N}])" + Pattern.quote(key) + "(?![\\p{L}\\p{N}])")
                    .matcher(shape)
                    .replaceAll(Matcher.quoteReplacement("#"));
        }
        return NUMBER.matcher(UUID.matcher(shape).replaceAll("#")).replaceAll("#");
    }
}
