package dev.dibs.cli;

import dev.dibs.LeaseInfo;
import dev.dibs.text.Words;

/** The holder of a lock, in a sentence. */
final class Holding {

    private Holding() {}

    static String since(LeaseInfo lock) {
        return lock.holder() + " since " + Words.time(lock.since());
    }

    static String of(LeaseInfo lock) {
        return since(lock) + ", until " + Words.time(lock.until()) + " unless renewed";
    }
}
