package dev.dibs;

/**
 * A lock that many may read under at a time, or one may write under, over all processes that use the same tables.
 *
 * <p>A writer that waits is not starved: readers that come after it wait until it has written, or has given up. Its intent is a lease too,
 * so that it passes if its process dies; so do the leases of readers that vanish. Every reader and every writer has a {@link Lease} of
 * its own, which is renewed, guarded and lost as that of a {@link NamedLock}.
 *
 * <p>The {@linkplain Lease#fence numbers}: a writer's is greater than that of everybody before it. Readers between two writers share
 * one, which is not below the writer's before and below the next one's.
 *
 * <p>Not reentrant, on either side. A read lease that is asked for under another one waits behind a writer that waits for the first: do
 * not nest them. A reader can not become a writer; a writer can become a reader: {@link #downgrade}.
 *
 * <p>Made by {@link Dibs#readWriteLock}. Immutable, cheap, safe for use by any thread.
 */
public interface ReadWriteLock {

    /** The lock's name. */
    String name();

    /** The readers' side. It is busy while somebody writes or waits to write, and not because of other readers. */
    Acquirable read();

    /**
     * The writers' side. It is busy while somebody writes or reads. With a wait, the wait for the readers to leave is part of it, and no
     * new ones are let in meanwhile; without one, readers do not notice that it was asked for.
     *
     * <p>Whatever acquires throws {@code IllegalStateException} if this thread has acquired a read lease on the same name, by the same
     * {@link Dibs}, that is still open: it would wait for itself.
     */
    Acquirable write();

    /**
     * Makes a writer a reader, with no other writer in between; others may read from then on. The writer's lease is closed whatever
     * comes of it. Not inside of a guarded transaction of the writer's: commit that first.
     *
     * @param writer a lease on {@link #write} of this name
     * @return the reader's lease, to be closed, with the number of the writer's
     * @throws LeaseLostException if the writer's lease is lost
     * @throws IllegalArgumentException if it is not one of this lock's writers
     * @throws IllegalStateException if it is closed
     * @throws DibsException if the database can not be asked or gives no clear answer
     */
    Lease downgrade(Lease writer);
}
