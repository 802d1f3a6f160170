package dev.dibs;

/**
 * A lock that many may read under at a time, or one may write under, over all processes that use the same tables.
 *
 * <p>A waiting writer is not starved: readers that come after it wait until it has written or has given up. Its intent is a lease, too,
 * and ends by time if its process dies, as do the leases of readers that vanish. Every reader and every writer has a {@link Lease} of
 * its own. It is renewed, guarded and lost like that of a {@link NamedLock}.
 *
 * <p>The {@linkplain Lease#fencingToken fencing token} of a writer is greater than all before it. Readers between two writers share a token: it is at
 * least that of the writer before, and less than that of the next one.
 *
 * <p>Neither side is reentrant. Do not nest read leases: the second one would wait behind a writer that waits for the first. A reader
 * cannot become a writer; a writer can become a reader: {@link #downgrade}.
 *
 * <p>Made by {@link Dibs#readWriteLock}. Immutable, cheap, safe for use by any thread.
 */
public interface ReadWriteLock {

    /** The lock's name. */
    String name();

    /** The readers' side. It is busy while somebody writes or waits to write, and not because of other readers. */
    Acquirable read();

    /**
     * The writers' side. It is busy while somebody writes or reads. A call with a wait keeps new readers out and waits for the others
     * to leave. A call without a wait does not affect readers.
     *
     * <p>Each method that acquires throws {@code IllegalStateException} if this thread has an open read lease on the same name, acquired
     * through the same {@link Dibs}: it would wait for itself.
     */
    Acquirable write();

    /**
     * Makes a writer a reader, with no other writer in between. From then on others may read. The writer's lease is closed in any
     * case. Commit a guarded transaction of the writer first.
     *
     * @param writer a lease on {@link #write} of this name
     * @return the reader's lease, to be closed, with the number of the writer's
     * @throws LeaseLostException if the writer's lease is lost
     * @throws IllegalArgumentException if it is not one of this lock's writers
     * @throws IllegalStateException if it is closed
     * @throws DibsException if the database cannot be asked or gives no clear answer
     */
    Lease downgrade(Lease writer);
}
