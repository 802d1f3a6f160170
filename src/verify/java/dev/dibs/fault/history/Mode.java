package dev.dibs.fault.history;

/** What kind of a lease a hold is. */
public enum Mode {
    LOCK,
    READER,
    WRITER,
    PERMIT,
    ONCE;

    /** Whether two holds of a name may not be at one time; permits may not have one slot. */
    boolean excludes(Mode other) {
        return this != READER || other != READER;
    }
}
