package dev.dibs.internal.values;

/** What a name may be. */
public final class Names {

    /** In UTF-16 units, {@code String.length()}: the one measure that every database's column has room for. */
    public static final int LIMIT = 200;

    /** Locks of Dibs' own begin with this: such a lock says when its task was last done, not who holds something. */
    public static final String MAINTENANCE = "dibs-purge-tokens:";

    private Names() {}

    /**
     * Returns the name if the database can keep it exactly as it is.
     *
     * @param what what it is the name of, for the message
     */
    public static String check(String what, String name) {
        return check(what, name, LIMIT);
    }

    /** The same with another limit. */
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

    /** The same for what may not have a blank at either end, which some databases do not tell from one without. */
    public static String checkStripped(String what, String name) {
        if (!check(what, name).strip().equals(name)) {
            throw new IllegalArgumentException("the " + what + " has a blank at its end: '" + name + "'");
        }
        return name;
    }

    /** A lone surrogate has no encoding: drivers send it as '?', and two names would meet. PostgreSQL refuses NUL. */
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

    /** The name of the lock for one key of a kind: {@code kind:key}. A kind without colons keeps all pairs apart. */
    public static String of(String kind, Object key) {
        if (Names.check("kind", kind).indexOf(':') >= 0) {
            throw new IllegalArgumentException(
                    "the kind must not contain a colon, which divides it from the key: " + kind);
        }
        String text = key == null ? null : key.toString();
        return check("name", kind + ':' + check("key", text));
    }
}
