package dev.dibs.sql;

import java.util.List;

/** Lock names and owners as a JSON text, written only when a statement asks for it. */
record JsonPairs(List<String> names, List<String> owners) {

    String toJson() {
        StringBuilder json = new StringBuilder("[");
        for (int i = 0; i < names.size(); i++) {
            json.append(i == 0 ? "{\"name\":" : ",{\"name\":");
            quote(json, names.get(i));
            json.append(",\"owner\":");
            quote(json, owners.get(i));
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
