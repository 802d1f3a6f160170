package dev.dibs;

/** What came of asking for something that is done once a period. */
public enum OnceOutcome {
    /** It was due, and was done just now. */
    RAN,
    /** It is not due: somebody has done it in this period, or has failed at it a short time ago. */
    FRESH,
    /** Somebody else is doing it. */
    BUSY
}
