package dev.dibs.contract.locks.process;

import java.util.Locale;

/** What several processes race for, each with some threads. */
enum Race {
    /** One lock; the ledger is written with and without a guard. */
    LOCK(1),
    /** One fair lock; the ledger is written under a guard. */
    FAIR(2),
    /** The permits of one semaphore. */
    PERMIT(2),
    /** One read-write lock: the first thread writes, the others read. */
    READ_WRITE(3),
    /** Two or three of several locks at once, in any order. */
    SEVERAL(1);

    static final int PERMITS = 3;
    static final int LOCKS = 4;

    final int threads;

    Race(int threads) {
        this.threads = threads;
    }

    /** The name for this race alone. */
    String in(String name) {
        return name + "_" + toString().toLowerCase(Locale.ROOT);
    }

    /** How many ledgers it has: one for each thing that one holder has alone. */
    int ledgers() {
        return this == PERMIT ? PERMITS : this == SEVERAL ? LOCKS : 1;
    }
}
