package dev.dibs.contract.locks.acquire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import dev.dibs.Dibs;
import dev.dibs.Lease;
import dev.dibs.LeaseInfo;
import dev.dibs.contract.support.Fixture;
import dev.dibs.database.CountingDataSource;
import dev.dibs.database.FullRun;
import dev.dibs.database.Traits;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Threads are interrupted at random, and often lead a batch then: no call of another thread fails. */
@Tag("race")
class InterruptRaceContract extends Fixture {

    private static final int THREADS = 40;
    /** Fewer than send at once, so that callers and leaders wait for a connection. */
    private static final int CONNECTIONS = 3;

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

    @Test
    @FullRun(except = "postgresql")
    void noCallOfAThreadThatNobodyInterruptsFails() throws Exception {
        int rounds = inFullRun(60, 20);
        List<Victim> victims =
                IntStream.range(0, THREADS).mapToObj(i -> new Victim()).toList();
        Queue<String> broken = new ConcurrentLinkedQueue<>();
        AtomicInteger granted = new AtomicInteger();
        AtomicInteger interrupts = new AtomicInteger();
        AtomicBoolean over = new AtomicBoolean();
        try (HikariDataSource few = database().pool(config -> config.setMaximumPoolSize(CONNECTIONS))) {
            CountingDataSource counting = new CountingDataSource(few);
            try (Dibs dibs = dibs(counting)) {
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
                            try (Lease lease =
                                    dibs.lock(kind, name).tryAcquire().orElseThrow()) {
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
                if (database().batches()) {
                    assertThat(counting.statements()).anyMatch(Traits.MANY);
                }
                await().atMost(LONG)
                        .until(() -> dibs.admin().locks().stream()
                                .map(LeaseInfo::name)
                                .noneMatch(name -> name.startsWith(kind)));
            }
        }
    }
}
