package dev.dibs.internal.values;

public final class Names {

    /** In UTF-16 units, {@code String.length()}: every database's column has room for that many. */
    public static final int LIMIT = 200;

    /** The names of Dibs' own locks begin with this. Such a lock records when its task was last done; it has no holder. */
    public static final String MAINTENANCE = "dibs-purge-tokens:";

    /** Before a purpose: the lock of the node that purges its tokens at this moment, by an explicit call. */
    public static final String PURGING = "dibs-purging-tokens:";

    private Names() {}

    /**
     * Returns the name if the database can store it exactly.
     *
     * @param what what has this name, for the message
     */
    public static String check(String what, String name) {
        return check(what, name, LIMIT);
    }

    public static String check(String what, String name, int limit) {
        if (name == null || name.isEmpty()) {
            throw new IllegalArgumentException("the " + what + " is " + (name == null ? "null" : "empty")
                    + "; it must have 1 to " + limit + " characters");
        }
        if (name.length() > limit) {
            throw new IllegalArgumentException("the " + what + " has " + name.length() + " characters; the limit is "
                    + limit + " (UTF-16 units): " + name.substring(0, 40) + "..");
        }
        for (int i = 0; i < name.length(); i++) {
            i += widthAt(what, name, i) - 1;
        }
        return name;
    }

    /** The same for names without a blank at either end, because some databases ignore such a blank when they compare. */
    public static String checkStripped(String what, String name) {
        if (!check(what, name).strip().equals(name)) {
            throw new IllegalArgumentException("the " + what + " has a blank at its end: '" + name + "'");
        }
        return name;
    }

    /** A lone surrogate has no encoding: drivers send it as '?', so two names would become one. PostgreSQL refuses NUL. */
    private static int widthAt(String what, String name, int i) {
        int codePoint = name.codePointAt(i);
        if (codePoint == 0) {
            throw new IllegalArgumentException("the " + what + " has a NUL character at index " + i);
        }
        if (codePoint >= Character.MIN_SURROGATE && codePoint <= Character.MAX_SURROGATE) {
            throw new IllegalArgumentException("the " + what + " has a lone surrogate at index " + i);
        }
        return Character.charCount(codePoint);
    }

    /** The name of the lock for one key of a kind: {@code kind:key}. A kind has no colon, so no two pairs make the same name. */
    public static String of(String kind, Object key) {
        if (Names.check("kind", kind).indexOf(':') >= 0) {
            throw new IllegalArgumentException(
                    "the kind must not contain a colon, which divides it from the key: " + kind);
        }
        return check("name", kind + ':' + check("key", NameKey.of(key)));
    }
}
