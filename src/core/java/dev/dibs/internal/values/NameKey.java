package dev.dibs.internal.values;

import java.lang.reflect.Array;
import java.lang.reflect.Method;
import java.lang.reflect.RecordComponent;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The text of a key, which must be the same in every process. It is the key's {@code toString()}. But lists, arrays and records are taken
 * apart: one of their values may have no text, and the values of {@code ("a, b", "c")} and {@code ("a", "b, c")} must differ.
 */
final class NameKey {

    /** Such a value is quoted in a list. */
    private static final Pattern AMBIGUOUS = Pattern.compile("|null|.*[\\[\\],\"].*", Pattern.DOTALL);

    private NameKey() {}

    /**
     * The text; null for null and for an empty Optional.
     *
     * @throws IllegalArgumentException if the key, or a value in it, has no text of its own, or no order
     */
    static @Nullable String of(@Nullable Object key) {
        Object value = unwrapped(key);
        if (value == null) {
            return null;
        }
        String composed = composed(value);
        return composed == null ? plain(value) : composed;
    }

    private static @Nullable Object unwrapped(@Nullable Object value) {
        return value instanceof Optional<?> optional ? unwrapped(optional.orElse(null)) : value;
    }

    /** The text of a value that has others in it; null for a plain value. */
    private static @Nullable String composed(Object value) {
        if (value instanceof Map<?, ?> || (value instanceof Set<?> && !(value instanceof SortedSet<?>))) {
            throw new IllegalArgumentException("the key has a " + name(value)
                    + " in it, whose order may differ in each process. Use a list, or a sorted set");
        }
        if (value instanceof Collection<?> values) {
            return joined(values.stream().map(NameKey::part));
        }
        if (value.getClass().isArray()) {
            return joined(IntStream.range(0, Array.getLength(value)).mapToObj(i -> part(Array.get(value, i))));
        }
        if (value instanceof Record row) {
            String type = row.getClass().getSimpleName();
            // Else its author has written another toString().
            if (plain(row).startsWith(type + '[')) {
                return type
                        + joined(Stream.of(row.getClass().getRecordComponents())
                                .map(component -> component.getName() + '=' + part(read(row, component))));
            }
        }
        return null;
    }

    private static String joined(Stream<String> parts) {
        return parts.collect(Collectors.joining(", ", "[", "]"));
    }

    private static String part(@Nullable Object given) {
        Object value = unwrapped(given);
        if (value == null) {
            return "null";
        }
        String composed = composed(value);
        return composed == null ? quoted(plain(value)) : composed;
    }

    private static String quoted(String text) {
        return AMBIGUOUS.matcher(text).matches()
                ? '"' + text.replace("\\", "\\\\").replace("\"", "\\\"") + '"'
                : text;
    }

    private static @Nullable Object read(Record row, RecordComponent component) {
        try {
            Method accessor = component.getAccessor();
            // The record may be private to its package.
            accessor.setAccessible(true);
            return accessor.invoke(row);
        } catch (ReflectiveOperationException | RuntimeException e) {
            throw new IllegalArgumentException(
                    "the key has a " + name(row) + " in it, whose " + component.getName()
                            + "() cannot be called. Let it be called by reflection, or use a field of it as the key",
                    e);
        }
    }

    private static String plain(Object value) {
        String text = value.toString();
        if (text == null || text.startsWith(name(value) + '@' + Integer.toHexString(value.hashCode()))) {
            throw new IllegalArgumentException(
                    "the key has a " + name(value) + " in it, which has no toString() of its own: each call would have"
                            + " another name. Use a field of it");
        }
        return text;
    }

    private static String name(Object value) {
        return value.getClass().getName();
    }
}
