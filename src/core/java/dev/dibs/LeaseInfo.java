package dev.dibs;

import dev.dibs.internal.values.Names;
import java.time.Instant;

/**
 * A lease that is held, as the database had it at the moment of reading.
 *
 * @param kind the kind of the lease
 * @param name its name
 * @param holder the label of the instance that holds it; for people, not for decisions
 * @param fencingToken the number of this acquisition; every later one of the name has a greater number. Of a reader: that of the last
 *     writer before it; of a transaction, its own number in the database
 * @param since when it was acquired, by the database's clock
 * @param until when it ends unless it is renewed, by the database's clock
 */
public record LeaseInfo(Kind kind, String name, String holder, long fencingToken, Instant since, Instant until) {

    /** The kind of a lease. */
    public enum Kind {
        /** A lock by name. */
        LOCK,
        /** One of the permits of a semaphore. */
        PERMIT,
        /** The writers' side of a read-write lock. The holder writes, or waits for the readers to leave and keeps later ones out. */
        WRITER,
        /** The readers' side of a read-write lock. */
        READER,
        /** Work that is done once a period, and that the holder is doing. {@link Admin#onces} lists it. */
        ONCE,
        /**
         * A lock that {@linkplain NamedLock#inTransaction a transaction} has, without a lease, or that it is about to acquire. PostgreSQL
         * alone can tell. The holder is its session. {@code breakLease} ignores it; terminate its session instead, as by
         * {@code pg_terminate_backend}.
         */
        TRANSACTION
    }

    /**
     * Whether this is a lock of Dibs' own maintenance. Such a lock ensures that a task, such as the purge of tokens, runs once in a
     * while over all nodes. It is neither renewed nor released. It ends by time, even if the process that took it ended long ago.
     */
    public boolean isMaintenance() {
        return (kind == Kind.LOCK || kind == Kind.TRANSACTION) && name.startsWith(Names.MAINTENANCE);
    }
}
