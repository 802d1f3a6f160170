package dev.dibs.console;

/**
 * The outcome of a button.
 *
 * @param good whether it was done
 * @param text what to say
 */
record Message(boolean good, String text) {

    private static final String GOOD = "+";

    /** The form for a session: a plain text that any class loader understands. */
    String kept() {
        return (good ? GOOD : "-") + text;
    }

    static Message of(String kept) {
        return new Message(kept.startsWith(GOOD), kept.substring(1));
    }
}
