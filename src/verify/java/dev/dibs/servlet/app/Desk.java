package dev.dibs.servlet.app;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Keeps requests until they are released, and counts them, by the name of their desk. */
final class Desk {

    private static final ConcurrentHashMap<String, Desk> DESKS = new ConcurrentHashMap<>();
    private static final long LONGEST_STAY_SECONDS = 120;

    private final AtomicInteger inside = new AtomicInteger();
    private final AtomicInteger most = new AtomicInteger();
    private final AtomicInteger served = new AtomicInteger();
    private final CountDownLatch open = new CountDownLatch(1);

    private Desk() {}

    static Desk of(String name) {
        return DESKS.computeIfAbsent(name, unused -> new Desk());
    }

    void come() {
        int now = inside.incrementAndGet();
        most.accumulateAndGet(now, Math::max);
    }

    void leave() {
        served.incrementAndGet();
        inside.decrementAndGet();
    }

    void letGo() {
        open.countDown();
    }

    /** Until released. */
    void stay() {
        come();
        try {
            if (!open.await(LONGEST_STAY_SECONDS, TimeUnit.SECONDS)) {
                throw new IllegalStateException("nobody has let it go");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            leave();
        }
    }

    /** How many requests are here, the largest number at once, and how many were served. */
    String report() {
        return inside.get() + " " + most.get() + " " + served.get();
    }
}
