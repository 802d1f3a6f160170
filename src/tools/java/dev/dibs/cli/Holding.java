package dev.dibs.cli;

import dev.dibs.LockInfo;
import dev.dibs.text.Words;

/** The holder of a lock, in a sentence. */
final class Holding {

    private Holding() {}

    static String since(LockInfo lock) {
        return lock.holder() + " since " + Words.time(lock.since());
    }

    static String of(LockInfo lock) {
        return since(lock) + ", until " + Words.time(lock.until()) + " unless renewed";
    }
}
