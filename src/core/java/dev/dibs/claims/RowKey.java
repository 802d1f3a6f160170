package dev.dibs.claims;

import dev.dibs.internal.values.Arguments;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.UUID;
import java.util.stream.Collectors;

/**
 * The key of a row of the user's: the values of its key columns, in the order in which {@link ClaimsBuilder#key} names them.
 *
 * <p>Two are equal if their values are equal as texts: the integer 7, the long 7 and the text 7 are one key.
 */
public final class RowKey {

    private final List<Object> values;
    private final List<String> texts;
    /** Each key of a claim is looked up several times. */
    private final int hash;

    private RowKey(List<Object> values) {
        this.values = List.copyOf(values);
        this.texts = values.size() == 1
                ? List.of(values.get(0).toString())
                : values.stream().map(Object::toString).toList();
        this.hash = texts.hashCode();
    }

    /**
     * A key of these values.
     *
     * @param values one for each key column; none is null
     */
    public static RowKey of(Object... values) {
        return new RowKey(complete(Arrays.asList(Arguments.required("key", values))));
    }

    private static List<Object> complete(Collection<?> values) {
        values.forEach(value -> Arguments.required("value of the key", value));
        return List.copyOf(values);
    }

    /** The values: {@code Long} for whole numbers, else as the driver has them. */
    public List<Object> values() {
        return values;
    }

    /**
     * The value of a key of one column as a number.
     *
     * @throws IllegalStateException if the key has more columns
     * @throws NumberFormatException if it is none
     */
    public long asLong() {
        return only() instanceof Number number ? number.longValue() : Long.parseLong(asText());
    }

    /**
     * The value of a key of one column as a text.
     *
     * @throws IllegalStateException if the key has more columns
     */
    public String asText() {
        return only().toString();
    }

    /**
     * The value of a key of one column as a UUID.
     *
     * @throws IllegalStateException if the key has more columns
     * @throws IllegalArgumentException if it is none
     */
    public UUID asUuid() {
        return only() instanceof UUID uuid ? uuid : UUID.fromString(asText());
    }

    private Object only() {
        if (values.size() != 1) {
            throw new IllegalStateException("the key " + this + " has " + values.size() + " columns; see values()");
        }
        return values.get(0);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof RowKey key && key.texts.equals(texts);
    }

    @Override
    public int hashCode() {
        return hash;
    }

    /** The value; of a composite key the values with commas between them, where a comma or backslash in a value has a backslash. */
    @Override
    public String toString() {
        if (texts.size() == 1) {
            return texts.get(0);
        }
        return texts.stream()
                .map(text -> text.replace("\\", "\\\\").replace(",", "\\,"))
                .collect(Collectors.joining(","));
    }
}
