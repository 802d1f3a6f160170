package dev.dibs.internal.acquire.calls;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;

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

    private final ReentrantLock lock = new ReentrantLock();
    /** In the order of their releases. */
    private final Map<String, Long> fences = new Releases();

    private static final class Releases extends LinkedHashMap<String, Long> {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Long> eldest) {
            return size() > MOST;
        }
    }

    void put(String name, long fence) {
        lock.lock();
        try {
            fences.remove(name);
            fences.put(name, fence);
        } finally {
            lock.unlock();
        }
    }

    /** Removes and returns the fence of a name; {@link #NONE} if it is not known. */
    long take(String name) {
        lock.lock();
        try {
            Long fence = fences.remove(name);
            return fence == null ? NONE : fence;
        } finally {
            lock.unlock();
        }
    }
}
