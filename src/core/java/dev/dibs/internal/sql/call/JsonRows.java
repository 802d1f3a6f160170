package dev.dibs.internal.sql.call;

import java.util.List;

/**
 * A list of rows as a JSON text, {@code [{"name":"a","owner":"1"},..]}. It is written only if a statement uses it.
 *
 * @param names the members' names
 * @param columns the values, a list for each member
 */
record JsonRows(List<String> names, List<List<String>> columns) {

    String toJson() {
        StringBuilder json = new StringBuilder("[");
        for (int row = 0; row < columns.get(0).size(); row++) {
            json.append(row == 0 ? "{" : ",{");
            for (int i = 0; i < names.size(); i++) {
                json.append(i == 0 ? "\"" : ",\"").append(names.get(i)).append("\":");
                quote(json, columns.get(i).get(row));
            }
            json.append('}');
        }
        return json.append(']').toString();
    }

    /** RFC 8259, section 7: quotation mark, reverse solidus and the control characters must be escaped. */
    private static void quote(StringBuilder json, String text) {
        json.append('"');
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"' || c == '\\') {
                json.append('\\').append(c);
            } else if (c < ' ') {
                json.append(String.format("\\u%04x", (int) c));
            } else {
                json.append(c);
            }
        }
        json.append('"');
    }
}
