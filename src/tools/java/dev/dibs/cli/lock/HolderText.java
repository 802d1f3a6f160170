package dev.dibs.cli.lock;

import dev.dibs.LeaseInfo;
import dev.dibs.text.Words;
import java.util.Optional;

/** The holder of a lock, in a sentence. */
final class HolderText {

    private HolderText() {}

    static String since(LeaseInfo lock) {
        return lock.holder() + " since " + Words.time(lock.since());
    }

    /** Why a lock was not acquired. */
    static String notAcquired(String name, Optional<LeaseInfo> by) {
        return "not acquired: '" + name + "' is "
                + by.map(lock -> "held by " + of(lock))
                        .orElse("being acquired, kept busy by --hold-at-least, or locked by a transaction");
    }

    static String of(LeaseInfo lock) {
        return since(lock) + ", until " + Words.time(lock.until()) + " unless renewed";
    }
}
