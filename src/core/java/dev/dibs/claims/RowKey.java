package dev.dibs.claims;

import dev.dibs.internal.values.Arguments;
import java.util.List;
import java.util.UUID;
import java.util.stream.Collectors;

/**
 * The key of a row in a table of the application: the values of its key columns, in the order of {@link ClaimsBuilder#key}.
 *
 * <p>Two keys are equal if their values are equal as texts: the integer 7, the long 7 and the text 7 are one key.
 */
public final class RowKey {

    private final List<Object> values;
    private final String text;

    private RowKey(List<Object> values) {
        this.values = values;
        this.text = values.size() == 1
                ? values.get(0).toString()
                : values.stream()
                        .map(value -> value.toString().replace("\\", "\\\\").replace(",", "\\,"))
                        .collect(Collectors.joining(","));
    }

    /**
     * The key with these values.
     *
     * @param values one for each key column, none of them null
     */
    public static RowKey of(Object... values) {
        for (Object value : Arguments.required("key", values)) {
            Arguments.required("value of the key", value);
        }
        return new RowKey(List.of(values));
    }

    /** The values: {@code Long} for whole numbers, otherwise as the driver returns them. */
    public List<Object> values() {
        return values;
    }

    /**
     * The value of a key of one column as a number.
     *
     * @throws IllegalStateException if the key has more columns
     * @throws NumberFormatException if the value is no number
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
     * @throws IllegalArgumentException if the value is no UUID
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
        return other instanceof RowKey key && key.text.equals(text) && key.values.size() == values.size();
    }

    @Override
    public int hashCode() {
        return text.hashCode();
    }

    /**
     * The value. For a composite key, the values with commas between them; a comma or backslash in a value has a backslash before
     * it.
     */
    @Override
    public String toString() {
        return text;
    }
}
