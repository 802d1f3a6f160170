package dev.dibs.claims;

import dev.dibs.internal.values.Arguments;
import dev.dibs.internal.values.BinaryKey;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The key of a row in a table of the application: the values of its key columns, in the order of {@link ClaimsBuilder#key}.
 *
 * <p>A key consists of texts. Two keys are equal if their texts are equal: the integer 7, the long 7 and the text 7 are one key. The
 * text of a date or a time of a claimed row is written by the database, alike in all sessions and time zones.
 *
 * <p>Immutable. Safe for use by any thread.
 */
public final class RowKey {

    /** The texts of a key of several columns; null for one. */
    private final String @Nullable [] texts;

    private final String text;

    private RowKey(String @Nullable [] texts, String text) {
        this.texts = texts;
        this.text = text;
    }

    /**
     * The key with these values.
     *
     * @param values one for each key column: a whole number, a {@code BigDecimal}, a {@code String}, an enum, a {@code UUID}, a
     *     {@code Boolean} or a {@code byte[]}. The text of a date or time is that of a claimed row, see {@link #texts}
     * @throws IllegalArgumentException if a value is of another type; the message names it
     */
    public static RowKey of(Object... values) {
        if (Arguments.required("key", values).length == 1) {
            return new RowKey(null, text(values[0]));
        }
        String[] texts = new String[values.length];
        StringBuilder all = new StringBuilder();
        for (int i = 0; i < texts.length; i++) {
            texts[i] = text(values[i]);
            all.append(i == 0 ? "" : ",").append(texts[i].replace("\\", "\\\\").replace(",", "\\,"));
        }
        return new RowKey(texts, all.toString());
    }

    private static String text(Object value) {
        if (Arguments.required("value of the key", value) instanceof String text) {
            return text;
        }
        if (value instanceof Long
                || value instanceof Integer
                || value instanceof Short
                || value instanceof Byte
                || value instanceof BigInteger
                || value instanceof UUID
                || value instanceof Boolean) {
            return value.toString();
        }
        if (value instanceof BigDecimal number) {
            return number.toPlainString();
        }
        if (value instanceof Enum<?> one) {
            return one.name();
        }
        if (value instanceof byte[] bytes) {
            return BinaryKey.text(bytes);
        }
        throw new IllegalArgumentException(
                "'" + value + "' is a " + value.getClass().getName()
                        + ", which names no row: give a key the values of its columns, each a whole number, a BigDecimal, a"
                        + " String, an enum, a UUID, a Boolean or a byte[], or take the key of the claimed row");
    }

    /** The key of a single one of its columns, from 0 on. */
    public RowKey part(int column) {
        return new RowKey(null, texts().get(column));
    }

    /**
     * The texts of the values. That of a binary value has hexadecimal digits in lower case; 16 bytes have the text of a UUID. Numbers
     * have no exponent, and texts of a fixed length no blanks at their end.
     */
    public List<String> texts() {
        return texts == null ? List.of(text) : List.of(texts);
    }

    /**
     * The value of a key of one column as a number.
     *
     * @throws IllegalStateException if the key has more columns
     * @throws NumberFormatException if the value is no number
     */
    public long asLong() {
        return Long.parseLong(asText());
    }

    /**
     * The value of a key of one column as a text.
     *
     * @throws IllegalStateException if the key has more columns
     */
    public String asText() {
        if (texts != null) {
            throw new IllegalStateException("the key " + this + " has " + texts.length + " columns; see part(..)");
        }
        return text;
    }

    /**
     * The value of a key of one column as a UUID: of a UUID, its text, or 16 bytes.
     *
     * @throws IllegalStateException if the key has more columns
     * @throws IllegalArgumentException if the value is no UUID
     */
    public UUID asUuid() {
        return UUID.fromString(asText());
    }

    /**
     * The bytes of a binary key of one column. Each call returns a copy.
     *
     * @throws IllegalStateException if the key has more columns
     * @throws IllegalArgumentException if the value is not binary
     */
    public byte[] asBytes() {
        return BinaryKey.bytes(asText());
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof RowKey key && key.text.equals(text) && columns() == key.columns();
    }

    private int columns() {
        return texts == null ? 1 : texts.length;
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
