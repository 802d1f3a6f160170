package dev.dibs.fault.history;

/** The kind of a hold's lease. */
public enum Mode {
    LOCK,
    READER,
    WRITER,
    PERMIT,
    ONCE;

    /** Whether two holds of a name exclude each other; permits exclude each other on one slot. */
    boolean excludes(Mode other) {
        return this != READER || other != READER;
    }
}
