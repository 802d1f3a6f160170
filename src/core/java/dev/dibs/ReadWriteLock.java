package dev.dibs;

/**
 * A lock for many readers or one writer at a time, over all processes that use the same tables.
 *
 * <p>A waiting writer does not starve: readers that come after it wait until it has written or has given up. Its intent is a lease,
 * too, and ends by time if its process dies. So do the leases of readers that vanish. Every reader and every writer has a {@link
 * Lease} of its own. It is renewed, guarded and lost like that of a {@link NamedLock}.
 *
 * <p>The {@linkplain Lease#fencingToken fencing token} of a writer is greater than all before it. Readers between two writers share
 * a token. It is at least that of the writer before them, and less than that of the next one.
 *
 * <p>Neither side is reentrant. Do not nest read leases: the second one would wait behind a writer that waits for the first. A
 * reader cannot become a writer, and a writer cannot become a reader: close the lease, and acquire the other one.
 *
 * <p>Made by {@link Dibs#readWriteLock}. Immutable, cheap, safe for use by any thread.
 */
public interface ReadWriteLock {

    /** The lock's name. */
    String name();

    /** The readers' side. It is busy while a writer holds it or waits. Other readers do not make it busy. */
    Acquirable<Lease> read();

    /**
     * The writers' side. It is busy while there is a writer or a reader. A call with a wait keeps new readers out and waits for the
     * others to leave. A call without a wait does not affect readers.
     *
     * <p>Each method that acquires throws {@code IllegalStateException} if this thread has an open read lease on the same name from
     * the same {@link Dibs}. It would wait for itself.
     */
    Acquirable<Lease> write();
}
