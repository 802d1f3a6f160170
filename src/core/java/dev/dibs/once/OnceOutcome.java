package dev.dibs.once;

/** The outcome of a request for work that is done once a period. */
public enum OnceOutcome {
    /** It was due, and was done just now. */
    RAN,
    /** It is not due: it was done in this period. */
    NOT_DUE,
    /**
     * It is not done: it failed a short time ago, and the pause is not over. {@link Once#info} has the error and the time of the
     * next try.
     */
    FAILED,
    /** Another process is doing it. */
    BUSY
}
