package dev.dibs.contract.locks.acquire;

import static org.assertj.core.api.Assertions.assertThat;

import dev.dibs.DatabaseFailureException;
import dev.dibs.Dibs;
import dev.dibs.Lease;
import dev.dibs.NotAcquiredException;
import dev.dibs.contract.support.Fixture;
import dev.dibs.database.FullRun;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** An interrupt ends a wait. It has no effect on the database, and leaves nothing behind. */
@Tag("contract")
class InterruptContract extends Fixture {

    private static final Duration SLOW = Duration.ofSeconds(20);

    private static final Duration INTERRUPTS = Duration.ofSeconds(inFullRun(3, 1));

    @Test
    @FullRun(except = "postgresql")
    void interruptsAtRandomDoNoHarm() throws Exception {
        String name = fresh("interrupted");
        AtomicInteger inside = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        AtomicInteger acquired = new AtomicInteger();
        AtomicBoolean stop = new AtomicBoolean();
        try (Dibs dibs = dibs()) {
            Runnable work = () -> {
                try (Lease lease = dibs.lock(name).acquire(Duration.ofMillis(50))) {
                    acquired.incrementAndGet();
                    most.accumulateAndGet(inside.incrementAndGet(), Math::max);
                    inside.decrementAndGet();
                    lease.check();
                } catch (NotAcquiredException | DatabaseFailureException e) {
                    // Busy, interrupted, or no connection within the time.
                    assertThat(e).isNotNull();
                }
            };
            List<Thread> threads = start(work, stop);
            long end = System.nanoTime() + INTERRUPTS.toNanos();
            // A slow machine may need longer until somebody gets it between two interrupts.
            while (System.nanoTime() - end < (acquired.get() == 0 ? SLOW.toNanos() : 0)) {
                threads.get(ThreadLocalRandom.current().nextInt(threads.size())).interrupt();
                Thread.sleep(ThreadLocalRandom.current().nextInt(4));
            }
            stop.set(true);
            for (Thread thread : threads) {
                thread.join(60_000);
                assertThat(thread.isAlive()).isFalse();
            }
            assertThat(acquired).hasPositiveValue();
            assertThat(most).as("never two").hasValue(1);
            Optional<Lease> after = dibs.lock(name).tryAcquire(SOON);
            assertThat(after).as("nobody has it").isPresent();
            after.orElseThrow().close();
        }
    }

    private static List<Thread> start(Runnable work, AtomicBoolean stop) {
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            Thread thread = new Thread(() -> {
                while (!stop.get()) {
                    work.run();
                    boolean unused = Thread.interrupted();
                }
            });
            thread.start();
            threads.add(thread);
        }
        return threads;
    }
}
