package dev.dibs.cli;

import dev.dibs.LockInfo;

/** Who has a lock, in a sentence. */
final class Holding {

    private Holding() {}

    static String since(LockInfo lock) {
        return lock.holder() + " since " + LocksTable.time(lock.since());
    }

    static String of(LockInfo lock) {
        return since(lock) + ", until " + LocksTable.time(lock.until()) + " unless renewed";
    }
}
