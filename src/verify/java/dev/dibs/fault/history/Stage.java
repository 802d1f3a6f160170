package dev.dibs.fault.history;

/** How far an operation is. One without an outcome was cut off: it counts as {@link #UNKNOWN}. */
public enum Stage {
    /** Written down before anything is sent. */
    INVOKE,
    /** It has happened, and its process knows. */
    OK,
    /** It has had no effect, and never will. */
    FAIL,
    /** It may have happened, may happen yet, or never. */
    UNKNOWN
}
