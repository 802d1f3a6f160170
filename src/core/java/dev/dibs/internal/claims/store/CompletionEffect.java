package dev.dibs.internal.claims.store;

/**
 * What completing a row does to it, in the statement that clears its mark.
 *
 * @param assignments for SET, else empty
 */
public record CompletionEffect(Kind kind, String assignments) {

    public enum Kind {
        /** Nothing: the caller has changed the row in another way. */
        NONE,
        SET,
        /** As SET, and a column of the key is set. */
        SET_KEY,
        DELETE
    }

    public static final CompletionEffect NONE = new CompletionEffect(Kind.NONE, "");
    public static final CompletionEffect DELETE = new CompletionEffect(Kind.DELETE, "");

    /** The same assignments, which set a column of the key. */
    public CompletionEffect settingKey() {
        return new CompletionEffect(Kind.SET_KEY, assignments);
    }

    public static CompletionEffect set(String assignments) {
        return new CompletionEffect(Kind.SET, assignments);
    }
}
