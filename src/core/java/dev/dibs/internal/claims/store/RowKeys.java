package dev.dibs.internal.claims.store;

import dev.dibs.claims.RowKey;
import java.util.ArrayList;
import java.util.List;

/** Reads the texts of keys. */
final class RowKeys {

    private RowKeys() {}

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
