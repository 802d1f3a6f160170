package dev.dibs.claims;

import dev.dibs.internal.values.Arguments;
import dev.dibs.internal.values.KeyValue;
import java.util.List;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The key of a row in a table of the application: the values of its key columns, in the order of {@link ClaimsBuilder#key}.
 *
 * <p>Two keys are equal if their texts are equal: the integer 7, the long 7 and the text 7 are one key. The text of a date or a time of
 * a claimed row is written by the database, alike in all sessions and time zones. The methods of {@link Claim} accept other
 * spellings of a key as well.
 */
public final class RowKey {

    private final List<Object> values;
    private final List<String> texts;
    private final String text;

    private RowKey(List<Object> values, List<String> texts) {
        this.values = values;
        this.texts = texts;
        this.text = texts.size() == 1
                ? texts.get(0)
                : texts.stream()
                        .map(value -> value.replace("\\", "\\\\").replace(",", "\\,"))
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
        return new RowKey(
                Stream.of(values)
                        .map(value -> value instanceof KeyValue known ? known.value() : value)
                        .toList(),
                Stream.of(values)
                        .map(value -> value instanceof KeyValue known ? known.text() : value.toString())
                        .toList());
    }

    /**
     * The values: {@code Long} for whole numbers, otherwise as the driver returns them. A driver's date or time may be another one than
     * that of the row, where the clock of the JVM's time zone changes. {@link #texts} are exact.
     */
    public List<Object> values() {
        return values;
    }

    /** The texts of the values. */
    public List<String> texts() {
        return texts;
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
        requireOne();
        return text;
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
        requireOne();
        return values.get(0);
    }

    private void requireOne() {
        if (values.size() != 1) {
            throw new IllegalStateException("the key " + this + " has " + values.size() + " columns; see values()");
        }
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof RowKey key && key.text.equals(text) && key.texts.size() == texts.size();
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
