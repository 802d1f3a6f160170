package dev.dibs.internal.sql.files;

import java.sql.Types;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * The types that a key column may have, by {@code key-types.properties}: the standard file, overlaid by those of the dialect's base and of
 * the dialect. The standard file explains the format.
 *
 * <p>All of it is checked when it is read.
 */
public final class KeyTypes {

    static final String FILE = "key-types.properties";

    private static final Pattern OTHERS = Pattern.compile("[^a-z0-9]+");
    private static final String NO = "no: ";
    private static final String ANY = "*";

    private final Map<String, KeyKind> kinds = new LinkedHashMap<>();
    private final Map<String, String> refused = new LinkedHashMap<>();
    private final Map<String, Pattern> patterns = new LinkedHashMap<>();

    private KeyTypes() {}

    /**
     * Reads the files of a dialect.
     *
     * @throws IllegalArgumentException if a file has an unknown kind; the message names the line
     */
    static KeyTypes load(DialectFolder folder) {
        KeyTypes types = new KeyTypes();
        folder.layers().forEach(layer -> layer.properties(FILE).forEach(types::put));
        return types;
    }

    private void put(String type, PropertyFile.Entry entry) {
        if (type.contains(ANY)) {
            // Decides before all names of the layers below.
            kinds.keySet().removeIf(name -> !name.contains(ANY));
            refused.keySet().removeIf(name -> !name.contains(ANY));
            patterns.putIfAbsent(type, Pattern.compile(type.replace(ANY, ".*")));
        }
        kinds.remove(type);
        refused.remove(type);
        if (entry.value().startsWith(NO)) {
            refused.put(type, entry.value().substring(NO.length()));
            return;
        }
        for (KeyKind kind : KeyKind.values()) {
            if (kind.suffix().equals(entry.value())) {
                kinds.put(type, kind);
                return;
            }
        }
        throw entry.refused(
                "'" + entry.value() + "' is not a kind of key; it is the name of one, or '" + NO + "' and a reason");
    }

    /**
     * The kind of a column.
     *
     * @throws IllegalArgumentException if a column of this type cannot be a key; the message says why
     */
    public KeyKind kindOf(ColumnInfo column) {
        String type = listed(plain(column.type()));
        KeyKind kind = kinds.get(type);
        if (kind != null) {
            return kind;
        }
        if (!refused.containsKey(type) && column.jdbcType() == Types.VARCHAR) {
            // A type of the user's, such as an enumeration.
            return KeyKind.LABEL;
        }
        throw new IllegalArgumentException("the column " + column.name() + " is of the type " + column.type()
                + ", which cannot be a key here: "
                + refused.getOrDefault(type, "Dibs knows no way to write and read each of its values exactly")
                + ". Name other columns with key(..) that are unique together");
    }

    /** The first entry that is for the type. */
    private String listed(String type) {
        return kinds.containsKey(type) || refused.containsKey(type)
                ? type
                : patterns.entrySet().stream()
                        .filter(entry -> entry.getValue().matcher(type).matches())
                        .map(Map.Entry::getKey)
                        .findFirst()
                        .orElse(type);
    }

    /** Without a size, and as a file can have it. */
    private static String plain(String type) {
        int size = type.indexOf('(');
        String name = (size < 0 ? type : type.substring(0, size) + type.substring(type.lastIndexOf(')') + 1));
        return OTHERS.matcher(name.strip().toLowerCase(Locale.ROOT)).replaceAll("_");
    }
}
