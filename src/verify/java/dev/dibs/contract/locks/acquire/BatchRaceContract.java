package dev.dibs.contract.locks.acquire;

import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import dev.dibs.Dibs;
import dev.dibs.Lease;
import dev.dibs.LeaseInfo;
import dev.dibs.contract.support.Fixture;
import dev.dibs.database.CountingDataSource;
import dev.dibs.database.FullTest;
import dev.dibs.database.Trait;
import dev.dibs.database.Traits;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;

/**
 * Promise 1 and 4 with batches of acquires and releases of several instances. If threads are interrupted at random, no call of another
 * thread fails.
 */
@Tag("race")
class BatchRaceContract extends Fixture {
    private static final int THREADS = 40;

    /** Fewer than send at once, so that callers and leaders wait for a connection. */
    private static final int CONNECTIONS = 3;

    @FullTest(except = "postgresql")
    void crowdsOfSeveralInstancesNeverHaveANameTwice() throws Exception {
        String kind = fresh("crowd");
        int names = 30;
        int threads = 24;
        AtomicIntegerArray inside = new AtomicIntegerArray(names);
        AtomicLongArray fences = new AtomicLongArray(names);
        AtomicInteger granted = new AtomicInteger();
        Queue<String> broken = new ConcurrentLinkedQueue<>();
        HikariDataSource few = few();
        CountingDataSource counting = new CountingDataSource(few);
        List<Dibs> instances = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            instances.add(dibs(counting));
        }
        try {
            inThreads(instances.size() * threads, number -> {
                Dibs dibs = instances.get(number % instances.size());
                Random random = new Random(number);
                for (int i = 0; i < 15; i++) {
                    int name = random.nextInt(names);
                    Optional<Lease> lease = dibs.lock(kind, name).tryAcquire();
                    if (lease.isPresent()) {
                        granted.incrementAndGet();
                        if (inside.incrementAndGet(name) != 1) {
                            broken.add("two at a time: " + lease);
                        }
                        if (fences.getAndSet(name, lease.get().fencingToken())
                                >= lease.get().fencingToken()) {
                            broken.add("a fence that did not grow: " + lease);
                        }
                        LockSupport.parkNanos(100_000);
                        inside.decrementAndGet(name);
                        lease.get().close();
                    }
                }
            });
        } finally {
            instances.forEach(Dibs::close);
            few.close();
        }
        assertThat(broken).isEmpty();
        assertThat(granted).hasValueGreaterThan(names);
        if (database().has(Trait.BATCHES)) {
            assertThat(counting.statements()).anyMatch(Traits.MANY);
        }
    }

    /** A thread that acquires and releases, and whether it was interrupted since it began. */
    private static final class Victim {
        private final ReentrantLock lock = new ReentrantLock();
        private Thread thread;
        private boolean disturbed;

        void begin() {
            lock.lock();
            try {
                thread = Thread.currentThread();
                disturbed = false;
                boolean unused = Thread.interrupted();
            } finally {
                lock.unlock();
            }
        }

        boolean isDisturbed() {
            lock.lock();
            try {
                return disturbed;
            } finally {
                lock.unlock();
            }
        }

        /** Returns whether it was interrupted. From now on it is not. */
        boolean end() {
            lock.lock();
            try {
                thread = null;
                boolean unused = Thread.interrupted();
                return disturbed;
            } finally {
                lock.unlock();
            }
        }

        boolean interrupt() {
            lock.lock();
            try {
                if (thread != null) {
                    disturbed = true;
                    thread.interrupt();
                }
                return thread != null;
            } finally {
                lock.unlock();
            }
        }
    }

    @FullTest(except = "postgresql")
    void noCallOfAThreadThatNobodyInterruptsFails() throws Exception {
        int rounds = inFullRun(60, 20);
        List<Victim> victims =
                IntStream.range(0, THREADS).mapToObj(i -> new Victim()).toList();
        Queue<String> broken = new ConcurrentLinkedQueue<>();
        AtomicInteger granted = new AtomicInteger();
        AtomicInteger interrupts = new AtomicInteger();
        AtomicBoolean over = new AtomicBoolean();
        HikariDataSource few = closing(database().pool(config -> config.setMaximumPoolSize(CONNECTIONS)));
        CountingDataSource counting = new CountingDataSource(few);
        Dibs dibs = dibs(counting);
        String kind = fresh("victim");
        Thread villain = new Thread(() -> {
            Random random = new Random(1);
            while (!over.get()) {
                if (victims.get(random.nextInt(THREADS)).interrupt()) {
                    interrupts.incrementAndGet();
                }
                LockSupport.parkNanos(500_000);
            }
        });
        villain.start();
        try {
            inThreads(THREADS, number -> {
                Victim victim = victims.get(number);
                int name = number;
                for (int i = 0; i < rounds; i++) {
                    victim.begin();
                    boolean disturbed;
                    try (Lease lease = dibs.lock(kind, name).tryAcquire().orElseThrow()) {
                        granted.incrementAndGet();
                    } catch (RuntimeException e) {
                        if (!victim.isDisturbed()) {
                            broken.add(e.toString());
                        }
                    } finally {
                        disturbed = victim.end();
                    }
                    // The release of an interrupted thread may be left to the background.
                    name += disturbed ? THREADS : 0;
                }
            });
        } finally {
            over.set(true);
            villain.join();
        }
        assertThat(broken).isEmpty();
        assertThat(interrupts).hasPositiveValue();
        assertThat(granted).hasValueGreaterThan(THREADS);
        if (database().has(Trait.BATCHES)) {
            assertThat(counting.statements()).anyMatch(Traits.MANY);
        }
        await().atMost(LONG)
                .until(() ->
                        dibs.admin().locks().stream().map(LeaseInfo::name).noneMatch(name -> name.startsWith(kind)));
    }
}
