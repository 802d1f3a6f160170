package dev.dibs.internal.claims.store;

import dev.dibs.claims.RowKey;
import dev.dibs.internal.sql.files.KeyKind;
import dev.dibs.internal.values.BinaryKey;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

/** The one text of each value of a key column. */
final class ColumnText {

    private static final Pattern WHOLE = Pattern.compile("-?\\d+");
    /** PostgreSQL has NaN and infinity. */
    private static final Pattern DECIMAL = Pattern.compile("-?\\d+(\\.\\d+)?|NaN|-?Infinity");

    private static final Pattern UUID = Pattern.compile("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}");
    private static final Pattern BINARY = Pattern.compile("([0-9a-f]{2})*|" + UUID);
    private static final Pattern BOOLEAN = Pattern.compile("true|false");

    private ColumnText() {}

    /** The text of a value that the database or its driver has written as this one. */
    static String of(KeyKind kind, String text) {
        return switch (kind) {
            case DECIMAL -> decimal(text);
            case CHAR -> withoutPad(text);
            case UUID -> text.toLowerCase(Locale.ROOT);
            case BINARY -> BinaryKey.text(BinaryKey.hex(text));
            default -> text;
        };
    }

    /** Whether a value of this kind can have the text. */
    static boolean isOf(KeyKind kind, String text) {
        return switch (kind) {
            case WHOLE -> WHOLE.matcher(text).matches();
            case DECIMAL -> DECIMAL.matcher(text).matches();
            case UUID -> UUID.matcher(text).matches();
            // 32 digits without dashes are no key: 16 bytes are written as a UUID.
            case BINARY -> BINARY.matcher(text).matches() && text.equals(of(kind, text));
            case BOOLEAN -> BOOLEAN.matcher(text).matches();
            default -> true;
        };
    }

    /** A decimal number without an exponent. */
    private static String decimal(String text) {
        try {
            return new BigDecimal(text).toPlainString();
        } catch (NumberFormatException e) {
            return text;
        }
    }

    private static String withoutPad(String text) {
        int end = text.length();
        while (end > 0 && text.charAt(end - 1) == ' ') {
            end--;
        }
        return text.substring(0, end);
    }

    /** The key as its {@link RowKey#toString} writes it. */
    static RowKey parse(String text, int columns) {
        if (columns == 1) {
            return RowKey.of(text);
        }
        List<Object> values = new ArrayList<>();
        StringBuilder value = new StringBuilder();
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == ',') {
                values.add(value.toString());
                value.setLength(0);
            } else {
                boolean escapes = c == '\\' && i + 1 < text.length();
                value.append(escapes ? text.charAt(++i) : c);
            }
        }
        values.add(value.toString());
        return RowKey.of(values.toArray());
    }
}
