package dev.dibs.contract.locks.acquire;

import static org.awaitility.Awaitility.await;

import dev.dibs.Dibs;
import dev.dibs.Lease;
import dev.dibs.contract.support.Fixture;
import dev.dibs.database.CountingDataSource;
import dev.dibs.database.FullTest;
import dev.dibs.database.Trait;
import dev.dibs.database.Traits;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;

/** Batches of several instances, while every second thread is interrupted at random: no name has two holders, and no other thread fails. */
@Tag("race")
class BatchRaceContract extends Fixture {
    private static final int NAMES = 30;
    private static final int THREADS = 72;

    /** Fewer than send at once, so that callers and leaders wait for a connection. */
    private static final int CONNECTIONS = 3;

    private final AtomicIntegerArray inside = new AtomicIntegerArray(NAMES);
    private final AtomicLongArray fences = new AtomicLongArray(NAMES);
    private final AtomicInteger granted = new AtomicInteger();
    private final Queue<String> broken = new ConcurrentLinkedQueue<>();
    private final AtomicReferenceArray<Thread> threads = new AtomicReferenceArray<>(THREADS);
    private final AtomicBoolean over = new AtomicBoolean();

    @FullTest(except = "postgresql")
    void aNameHasOneHolderAndAnInterruptFailsNobodyElse() throws Exception {
        String kind = fresh("crowd");
        CountingDataSource counting =
                new CountingDataSource(closing(database().pool(config -> config.setMaximumPoolSize(CONNECTIONS))));
        List<Dibs> instances = List.of(dibs(counting), dibs(counting), dibs(counting));
        Thread villain = new Thread(this::interruptSome);
        villain.start();
        try {
            inThreads(THREADS, number -> {
                threads.set(number, Thread.currentThread());
                Random random = new Random(number);
                for (int turn = 0; turn < 15; turn++) {
                    boolean unused = Thread.interrupted();
                    int name = random.nextInt(NAMES);
                    try {
                        Dibs dibs = instances.get(number % instances.size());
                        dibs.lock(kind, name).tryAcquire().ifPresent(lease -> hold(lease, name));
                    } catch (RuntimeException e) {
                        if (number % 2 == 1) {
                            broken.add(e.toString());
                        }
                    }
                }
            });
        } finally {
            over.set(true);
            villain.join();
        }
        assertThat(broken).isEmpty();
        assertThat(granted).hasValueGreaterThan(NAMES);
        if (database().has(Trait.BATCHES)) {
            assertThat(counting.statements()).anyMatch(Traits.MANY);
        }
        // The release of an interrupted thread may be left to the background.
        await().atMost(LONG)
                .until(() -> there().admin().locks().stream()
                        .noneMatch(lock -> lock.name().startsWith(kind)));
    }

    private void interruptSome() {
        Random random = new Random(1);
        while (!over.get()) {
            Thread victim = threads.get(2 * random.nextInt(THREADS / 2));
            if (victim != null) {
                victim.interrupt();
            }
            LockSupport.parkNanos(500_000);
        }
    }

    private void hold(Lease lease, int name) {
        granted.incrementAndGet();
        if (inside.incrementAndGet(name) != 1) {
            broken.add("two at a time: " + lease);
        }
        if (fences.getAndSet(name, lease.fencingToken()) >= lease.fencingToken()) {
            broken.add("a fence that did not grow: " + lease);
        }
        LockSupport.parkNanos(100_000);
        inside.decrementAndGet(name);
        lease.close();
    }
}
