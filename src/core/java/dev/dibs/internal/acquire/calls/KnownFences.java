package dev.dibs.internal.acquire.calls;

import dev.dibs.internal.time.Mutex;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The fences of the leases that this instance released last, {@value #MOST} at most.
 *
 * <p>Safe for use by many threads at once.
 */
final class KnownFences {

    /** In place of a fence that is not known; no lock has it. */
    static final long NONE = 0;

    /** Enough for the locks that an instance acquires again within seconds. */
    static final int MOST = 4_096;

    private final Mutex lock = new Mutex();
    /** In the order of their releases. */
    private final Map<String, Long> fences = new LinkedHashMap<>();

    void put(String name, long fence) {
        try (Mutex.Held unused = lock.hold()) {
            fences.remove(name);
            fences.put(name, fence);
            if (fences.size() > MOST) {
                fences.remove(fences.keySet().iterator().next());
            }
        }
    }

    /** Removes and returns the fence of a name; {@link #NONE} if it is not known. */
    long take(String name) {
        try (Mutex.Held unused = lock.hold()) {
            Long fence = fences.remove(name);
            return fence == null ? NONE : fence;
        }
    }
}
