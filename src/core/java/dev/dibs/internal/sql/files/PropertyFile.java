package dev.dibs.internal.sql.files;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A file of lines {@code key = value} and comments. It remembers the line of each key. */
public final class PropertyFile {

    private static final Pattern LINE = Pattern.compile("([A-Za-z0-9_.*]+)\\s*=\\s*(\\S.*?)\\s*");

    /**
     * The value of a key.
     *
     * @param where the file and the line, for an error
     */
    public record Entry(String value, String where) {

        public IllegalArgumentException refused(String why) {
            return new IllegalArgumentException(where + ": " + why);
        }
    }

    private PropertyFile() {}

    /**
     * Reads one file. The keys are in the file's order.
     *
     * @param origin the name of the file in an error
     * @throws IllegalArgumentException if the text is not in this format; the message names the line
     */
    static Map<String, Entry> parse(String origin, String text) {
        Map<String, Entry> entries = new LinkedHashMap<>();
        int number = 0;
        for (String line : text.lines().toList()) {
            number++;
            if (line.isBlank() || line.startsWith("#")) {
                continue;
            }
            String where = origin + ", line " + number;
            Matcher found = LINE.matcher(line);
            if (!found.matches()) {
                throw new IllegalArgumentException(where + ": expected 'key = value', found: " + line);
            }
            Entry entry = new Entry(found.group(2), where);
            if (entries.put(found.group(1), entry) != null) {
                throw entry.refused("'" + found.group(1) + "' appears twice");
            }
        }
        return entries;
    }
}
