package dev.dibs.internal.sql.files;

import java.sql.Types;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;

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

    /** By the type: the kind, or the reason for none. */
    private final Map<String, String> answers = new LinkedHashMap<>();

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
            answers.keySet().removeIf(name -> !name.contains(ANY));
            patterns.putIfAbsent(type, Pattern.compile(type.replace(ANY, ".*")));
        }
        String answer = entry.value();
        if (!answer.startsWith(NO)
                && Stream.of(KeyKind.values()).noneMatch(kind -> kind.suffix().equals(answer))) {
            throw entry.refused(
                    "'" + answer + "' is not a kind of key; it is the name of one, or '" + NO + "' and a reason");
        }
        answers.put(type, answer);
    }

    /**
     * The kind of a column.
     *
     * @throws IllegalArgumentException if a column of this type cannot be a key; the message says why
     */
    public KeyKind kindOf(ColumnInfo column) {
        String type = listed(plain(column.type()));
        String answer = answers.get(type);
        if (answer != null && !answer.startsWith(NO)) {
            return KeyKind.valueOf(answer.toUpperCase(Locale.ROOT));
        }
        if (answer == null && column.jdbcType() == Types.VARCHAR) {
            // A type of the user's, such as an enumeration.
            return KeyKind.LABEL;
        }
        throw new IllegalArgumentException("the column " + column.name() + " is of the type " + column.type()
                + ", which cannot be a key here: "
                + (answer == null
                        ? "Dibs knows no way to write and read each of its values exactly"
                        : answer.substring(NO.length()))
                + ". Name other columns with key(..) that are unique together");
    }

    /** The first entry that is for the type. */
    private String listed(String type) {
        return answers.containsKey(type)
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
