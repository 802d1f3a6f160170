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
        DELETE
    }

    public static final CompletionEffect NONE = new CompletionEffect(Kind.NONE, "");
    public static final CompletionEffect DELETE = new CompletionEffect(Kind.DELETE, "");

    public static CompletionEffect set(String assignments) {
        return new CompletionEffect(Kind.SET, assignments);
    }
}
