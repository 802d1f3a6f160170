package dev.dibs.examples;

import static org.awaitility.Awaitility.await;

import bookshop.Slow;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Slow work takes as long as a test wants: it waits behind a closed gate. An open gate lets it through at once. */
final class Gates implements Slow {

    private final Map<String, CountDownLatch> shut = new ConcurrentHashMap<>();
    private final Map<String, AtomicInteger> arrived = new ConcurrentHashMap<>();

    @Override
    public void take(String what) {
        count(what).incrementAndGet();
        CountDownLatch gate = shut.get(what);
        try {
            if (gate != null && !gate.await(Bookshop.PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
                throw new IllegalStateException("nobody has opened " + what);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    private AtomicInteger count(String what) {
        return arrived.computeIfAbsent(what, key -> new AtomicInteger());
    }

    /** How many calls have come to it since it was closed. */
    int arrived(String what) {
        return count(what).get();
    }

    void shut(String what) {
        count(what).set(0);
        shut.put(what, new CountDownLatch(1));
    }

    void open(String what) {
        shut.remove(what).countDown();
    }

    void awaitAt(String what, int number) {
        await().atMost(Bookshop.PATIENCE).until(() -> arrived(what) >= number);
    }

    void openAll() {
        shut.keySet().forEach(this::open);
    }
}
