package dev.dibs.once;

/** What came of asking for something that is done once a period. */
public enum OnceOutcome {
    /** It was due, and was done just now. */
    RAN,
    /** It is not due: somebody has done it in this period. */
    FRESH,
    /** It is not done: it failed a short time ago and is not tried again yet. {@link Once#info} has the error and the time of the next try. */
    FAILED,
    /** Somebody else is doing it. */
    BUSY
}
