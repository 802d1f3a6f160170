package dev.dibs.internal.lease;

import java.util.concurrent.atomic.AtomicIntegerArray;

/**
 * Names of locks that this instance has given back lately: their rows are there, and likely to be free. Only a hint, of fixed size: the
 * database still says who has a lock. One name may be taken for another, or forgotten.
 *
 * <p>Safe for use by many threads at once.
 */
final class FreedNames {

    /** A power of two. Enough for the locks that an instance comes back to within seconds, in 16 KB. */
    private static final int PLACES = 4_096;

    private final AtomicIntegerArray hashes = new AtomicIntegerArray(PLACES);

    void add(String name) {
        hashes.set(place(name), mark(name));
    }

    /** Whether it is among them; from then on it is not, until it is given back again. */
    boolean take(String name) {
        return hashes.compareAndSet(place(name), mark(name), 0);
    }

    /** Never 0, which is nobody's. */
    private static int mark(String name) {
        return name.hashCode() | 1;
    }

    private static int place(String name) {
        int hash = name.hashCode();
        return (hash ^ (hash >>> 16)) & (PLACES - 1);
    }
}
