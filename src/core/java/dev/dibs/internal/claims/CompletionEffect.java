package dev.dibs.internal.claims;

/**
 * What completing a row does to it, in the statement that clears its mark.
 *
 * @param assignments for SET, else empty
 */
record CompletionEffect(Kind kind, String assignments) {

    enum Kind {
        /** Nothing: the caller has changed the row in another way. */
        NONE,
        SET,
        DELETE
    }

    static final CompletionEffect NONE = new CompletionEffect(Kind.NONE, "");
    static final CompletionEffect DELETE = new CompletionEffect(Kind.DELETE, "");

    static CompletionEffect set(String assignments) {
        return new CompletionEffect(Kind.SET, assignments);
    }
}
