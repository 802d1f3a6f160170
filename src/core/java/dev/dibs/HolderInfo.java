package dev.dibs;

import dev.dibs.internal.values.Names;

/**
 * The holder of a lease, as the database had it at the moment of reading.
 *
 * @param kind what it holds
 * @param lock the name, the holder's label, the fencing token, and since and until when. A reader's number is that of the last
 *     writer before it
 */
public record HolderInfo(HolderKind kind, LockInfo lock) {

    /**
     * Whether this is a lock of Dibs' own maintenance. Such a lock ensures that a task, such as the purge of tokens, runs once in a
     * while over all nodes. It is neither renewed nor released. It ends by time, even if the process that took it ended long ago.
     */
    public boolean isMaintenance() {
        return kind == HolderKind.LOCK && lock.name().startsWith(Names.MAINTENANCE);
    }
}
