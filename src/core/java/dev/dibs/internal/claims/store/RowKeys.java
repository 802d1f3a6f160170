package dev.dibs.internal.claims.store;

import dev.dibs.claims.RowKey;
import dev.dibs.internal.values.Arguments;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/** Makes keys of the values of callers and of the database. */
final class RowKeys {

    private RowKeys() {}

    /** The key that a caller means: a key itself, the values of its columns as a list or an array, or the value of one column. */
    static RowKey from(Object key) {
        if (key instanceof RowKey known) {
            return known;
        }
        if (key instanceof Collection<?> values) {
            return RowKey.of(values.toArray());
        }
        return Arguments.required("key", key) instanceof Object[] values ? RowKey.of(values) : RowKey.of(key);
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
