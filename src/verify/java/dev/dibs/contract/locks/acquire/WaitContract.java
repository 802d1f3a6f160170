package dev.dibs.contract.locks.acquire;

import static org.awaitility.Awaitility.await;

import dev.dibs.DatabaseFailureException;
import dev.dibs.Dibs;
import dev.dibs.Lease;
import dev.dibs.NotAcquiredException;
import dev.dibs.contract.support.ContractFixture;
import dev.dibs.database.CountingDataSource;
import dev.dibs.database.FullTest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/**
 * Waiting: for the right time, in order, without a connection. An interrupt ends a wait, has no effect on the database, and leaves nothing
 * behind.
 */
class WaitContract extends ContractFixture {
    private static final Duration SLOW = Duration.ofSeconds(20);
    private static final Duration INTERRUPTS = Duration.ofSeconds(inFullRun(3, 1));

    @Test
    void aReleaseHandsTheLockToAWaiter() throws Exception {
        String name = fresh("hand-off");
        Lease held = here().lock(name).tryAcquire().orElseThrow();
        CompletableFuture<Long> fence = CompletableFuture.supplyAsync(() -> {
            try (Lease next = here().lock(name).acquire(SOON)) {
                return next.fencingToken();
            }
        });
        Thread.sleep(200);
        held.close();
        assertThat(fence.get(60, TimeUnit.SECONDS)).isGreaterThan(held.fencingToken());
    }

    @Test
    void aWaitThatIsTooShortEndsInTimeAndSaysBusy() {
        String name = fresh("short");
        Lease held = here().lock(name).tryAcquire().orElseThrow();
        long before = System.nanoTime();
        assertThat(here().lock(name).tryAcquire(Duration.ofMillis(300))).isEmpty();
        Duration waited = Duration.ofNanos(System.nanoTime() - before);
        assertThat(waited).isBetween(Duration.ofMillis(290), SOON);
        assertThat(held.isValid()).isTrue();
    }

    @FullTest(except = "postgresql")
    void aWaiterHoldsNoConnectionAndOneAsksForAll() throws Exception {
        String name = fresh("ask");
        CountingDataSource counting = new CountingDataSource(pool());
        Dibs dibs = dibs(counting);
        Lease held = here().lock(name).tryAcquire().orElseThrow();
        List<CompletableFuture<Boolean>> waiters = new ArrayList<>();
        List<Thread> threads = new ArrayList<>();
        counting.reset();
        long begin = System.nanoTime();
        for (int i = 0; i < 10; i++) {
            CompletableFuture<Boolean> result = new CompletableFuture<>();
            waiters.add(result);
            Thread thread = new Thread(() -> result.complete(
                    dibs.lock(name).tryAcquire(Duration.ofMillis(1500)).isPresent()));
            thread.start();
            threads.add(thread);
        }
        for (Thread thread : threads) {
            thread.join();
        }
        long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begin);
        // Each asks when it comes. The one that asks for all pauses longer and longer, then for 50 to 100 ms. If they
        // do not come at once, others follow it when its time is up. If each asked for itself, ten would ask about
        // 240 times.
        assertThat((long) counting.connections()).isBetween(1L, 10 * 6 + millis / 50);
        assertThat(waiters).allMatch(result -> !result.join());
        assertThat(counting.openConnections()).isZero();
        held.close();
    }

    @Test
    void waitersOfAJvmAreServedInTheOrderOfTheirComing() throws Exception {
        String name = fresh("order");
        Lease held = here().lock(name).tryAcquire().orElseThrow();
        List<Integer> served = Collections.synchronizedList(new ArrayList<>());
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            int number = i;
            Thread thread = new Thread(() -> {
                try (Lease lease = here().lock(name).acquire(SOON)) {
                    served.add(lease.isValid() ? number : -1);
                }
            });
            thread.start();
            threads.add(thread);
            await().pollInterval(Duration.ofMillis(5)).until(() -> isQueued(thread));
        }
        held.close();
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(served).containsExactly(0, 1, 2, 3, 4);
    }

    /** No public method shows it. */
    private static boolean isQueued(Thread thread) {
        return Arrays.stream(thread.getStackTrace())
                .anyMatch(frame -> frame.getMethodName().matches("awaitFront|awaitRelease"));
    }

    @Test
    void anInterruptEndsTheWaitAndIsKept() throws InterruptedException {
        String name = fresh("interrupt");
        Lease held = here().lock(name).tryAcquire().orElseThrow();
        CompletableFuture<Throwable> thrown = new CompletableFuture<>();
        CompletableFuture<Boolean> flag = new CompletableFuture<>();
        Thread waiter = new Thread(() -> {
            try {
                thrown.complete(new AssertionError(here().lock(name).acquire(SOON)));
            } catch (RuntimeException e) {
                thrown.complete(e);
            }
            flag.complete(Thread.currentThread().isInterrupted());
        });
        waiter.start();
        Thread.sleep(200);
        waiter.interrupt();
        waiter.join();
        assertThat(thrown.join()).isInstanceOf(NotAcquiredException.class).hasMessageContaining("interrupted");
        assertThat(flag.join()).isTrue();
        held.check();
    }

    @Test
    void aThreadThatIsInterruptedAlreadyMayStillTryAndClose() {
        String name = fresh("interrupted");
        closing(Thread::interrupted);
        Thread.currentThread().interrupt();
        Lease lease = here().lock(name).tryAcquire().orElseThrow();
        lease.close();
        assertThat(Thread.interrupted()).isTrue();
        assertThat(here().lock(name).tryAcquire()).as("it was released").isPresent();
    }

    @Test
    void aNegativeWaitIsAMistake() {
        assertThatThrownBy(() -> here().lock(fresh("negative")).tryAcquire(Duration.ofMillis(-1)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("negative");
    }

    @Test
    void aVeryLongWaitIsNoMistake() {
        Lease lease = here().lock(fresh("long")).acquire(Duration.ofDays(1_000_000));
        assertThat(lease.isValid()).isTrue();
    }

    @FullTest(except = "postgresql")
    void interruptsAtRandomDoNoHarm() throws Exception {
        String name = fresh("interrupted");
        AtomicInteger inside = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        AtomicInteger acquired = new AtomicInteger();
        AtomicBoolean stop = new AtomicBoolean();
        Dibs dibs = dibs();
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
