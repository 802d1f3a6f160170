package dev.dibs.fault.history;

/** The state of an operation. One without an outcome was cut off: it counts as {@link #UNKNOWN}. */
public enum OperationState {
    /** Recorded before anything is sent. */
    INVOKE,
    /** It has happened, and its process knows. */
    OK,
    /** It has had no effect, and never will. */
    FAIL,
    /** It may have happened, may still happen, or never. */
    UNKNOWN
}
