package dev.dibs.internal.retake;

import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * The fences of the leases that this instance released last. The size is fixed: a name may push out another one.
 *
 * <p>Safe for use by many threads at once.
 */
final class KnownFences {

    /** In place of a fence that is not known; no lock has it. */
    static final long NONE = 0;

    /** A power of two; enough for the locks that an instance acquires again within seconds. */
    private static final int PLACES = 4_096;

    private record Known(String name, long fence) {}

    private final AtomicReferenceArray<@Nullable Known> places = new AtomicReferenceArray<>(PLACES);

    void put(String name, long fence) {
        places.set(place(name), new Known(name, fence));
    }

    /** Removes and returns the fence of a name; {@link #NONE} if it is not known. */
    long take(String name) {
        int place = place(name);
        Known known = places.get(place);
        boolean taken = known != null && known.name.equals(name) && places.compareAndSet(place, known, null);
        return taken ? known.fence : NONE;
    }

    private static int place(String name) {
        int hash = name.hashCode();
        return (hash ^ (hash >>> 16)) & (PLACES - 1);
    }
}
