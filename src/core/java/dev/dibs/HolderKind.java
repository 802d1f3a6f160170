package dev.dibs;

/** What a holder has. */
public enum HolderKind {
    /** A lock by name. */
    LOCK,
    /** One of the permits of a semaphore. */
    PERMIT,
    /** The writers' side of a read-write lock. The holder writes, or waits for the readers to leave and keeps later ones out. */
    WRITER,
    /** The readers' side of a read-write lock. */
    READER
}
