package dev.dibs.junit;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/** Threads that begin at the same time. */
public final class Threads {

    /** The work of one of many threads, by its number from 0. */
    @FunctionalInterface
    public interface Work {
        void run(int number) throws Exception;
    }

    private static final Duration PATIENCE = Duration.ofMinutes(5);

    private Threads() {}

    /** Runs all at once and waits for them; an exception of one fails the test. */
    public static void run(int count, Work work) throws InterruptedException {
        CountDownLatch start = new CountDownLatch(1);
        List<Throwable> failures = Collections.synchronizedList(new ArrayList<>());
        List<Thread> threads = new ArrayList<>();
        for (int t = 0; t < count; t++) {
            int number = t;
            Thread thread = new Thread(() -> {
                try {
                    start.await();
                    work.run(number);
                } catch (Throwable e) {
                    failures.add(e);
                }
            });
            thread.setDaemon(true);
            thread.start();
            threads.add(thread);
        }
        start.countDown();
        for (Thread thread : threads) {
            thread.join(PATIENCE.toMillis());
            assertThat(thread.isAlive())
                    .as("it does not end; failures: %s", failures)
                    .isFalse();
        }
        assertThat(failures).isEmpty();
    }
}
