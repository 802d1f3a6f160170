package dev.dibs.internal.acquire;

import dev.dibs.internal.lease.LeaseName;
import dev.dibs.internal.time.LocalClock;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * Names that were busy when they were last asked for, and probably still are. The next caller looks first: a plain read is much cheaper
 * than an acquire. This is only a hint: the database still decides who is busy.
 */
final class BusyNames {

    /** Enough for the locks that many callers want at once; beyond it, asking costs more and the answer is as right. */
    private static final int LIMIT = 1_000;

    private final Map<LeaseName, Long> heldUntil = new ConcurrentHashMap<>();
    private final LocalClock clock;

    BusyNames(LocalClock clock) {
        this.clock = clock;
    }

    /** It is held for so long, unless it is renewed or released. */
    void add(LeaseName name, long millis) {
        if (heldUntil.size() >= LIMIT && !heldUntil.containsKey(name)) {
            heldUntil.values().removeIf(until -> until - clock.nanos() <= 0);
            if (heldUntil.size() >= LIMIT) {
                heldUntil.keySet().stream().findAny().ifPresent(heldUntil::remove);
            }
        }
        heldUntil.put(name, clock.nanos() + TimeUnit.MILLISECONDS.toNanos(millis));
    }

    /** It was free, or was acquired here. */
    void remove(LeaseName name) {
        heldUntil.remove(name);
    }

    /** Whether it was added at any time, as far as that is remembered. */
    boolean hasSeen(LeaseName name) {
        return heldUntil.containsKey(name);
    }

    boolean isLikely(LeaseName name) {
        Long until = heldUntil.get(name);
        return until != null && until - clock.nanos() > 0;
    }
}
