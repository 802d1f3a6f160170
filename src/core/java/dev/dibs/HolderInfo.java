package dev.dibs;

import dev.dibs.internal.values.Names;

/**
 * Somebody who holds something, as the database had it at the moment of reading.
 *
 * @param kind what it is
 * @param lock its name, who has it, its number, and since and until when. A reader's number is that of the last writer when it came
 */
public record HolderInfo(HolderKind kind, LockInfo lock) {

    /**
     * Whether it is a lock of Dibs' own, by which a maintenance task such as the purging of tokens is done once in a while over all nodes. Nobody
     * renews or releases it: it ends by time, also when the process that took it has ended long ago.
     */
    public boolean isMaintenance() {
        return kind == HolderKind.LOCK && lock.name().startsWith(Names.MAINTENANCE);
    }
}
