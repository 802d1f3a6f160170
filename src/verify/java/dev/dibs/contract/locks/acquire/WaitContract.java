package dev.dibs.contract.locks.acquire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.dibs.Dibs;
import dev.dibs.Lease;
import dev.dibs.NotAcquiredException;
import dev.dibs.contract.support.Fixture;
import dev.dibs.database.CountingDataSource;
import dev.dibs.database.FullRun;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Waiting: for the right time, in order, without a connection. */
@Tag("contract")
class WaitContract extends Fixture {

    @Test
    void aReleaseHandsTheLockToAWaiter() throws Exception {
        String name = fresh("hand-off");
        try (Dibs dibs = dibs()) {
            Lease held = dibs.lock(name).tryAcquire().orElseThrow();
            CompletableFuture<Long> fence = CompletableFuture.supplyAsync(() -> {
                try (Lease next = dibs.lock(name).acquire(SOON)) {
                    return next.fencingToken();
                }
            });
            Thread.sleep(200);
            held.close();
            assertThat(fence.get(60, TimeUnit.SECONDS)).isGreaterThan(held.fencingToken());
        }
    }

    @Test
    void aWaitThatIsTooShortEndsInTimeAndSaysBusy() {
        String name = fresh("short");
        try (Dibs dibs = dibs();
                Lease held = dibs.lock(name).tryAcquire().orElseThrow()) {
            long before = System.nanoTime();
            assertThat(dibs.lock(name).tryAcquire(Duration.ofMillis(300))).isEmpty();
            Duration waited = Duration.ofNanos(System.nanoTime() - before);
            assertThat(waited).isBetween(Duration.ofMillis(290), SOON);
            assertThat(held.isValid()).isTrue();
        }
    }

    @Test
    @FullRun(except = "postgresql")
    void aWaiterHoldsNoConnectionAndOneAsksForAll() throws Exception {
        String name = fresh("ask");
        CountingDataSource counting = new CountingDataSource(pool());
        try (Dibs holder = dibs();
                Dibs dibs = dibs(counting)) {
            Lease held = holder.lock(name).tryAcquire().orElseThrow();
            List<CompletableFuture<Boolean>> waiters = new ArrayList<>();
            List<Thread> threads = new ArrayList<>();
            counting.reset();
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
            // Each asks when it comes. Then one that pauses 50 to 100 ms asks 15 to 30 times; ten would ask 150 times
            // at least.
            assertThat(counting.connections()).isBetween(1, 60);
            assertThat(waiters).allMatch(result -> !result.join());
            assertThat(counting.openConnections()).isZero();
            held.close();
        }
    }

    @Test
    void waitersOfAJvmAreServedInTheOrderOfTheirComing() throws Exception {
        String name = fresh("order");
        try (Dibs dibs = dibs()) {
            Lease held = dibs.lock(name).tryAcquire().orElseThrow();
            List<Integer> served = Collections.synchronizedList(new ArrayList<>());
            List<Thread> threads = new ArrayList<>();
            for (int i = 0; i < 5; i++) {
                int number = i;
                Thread thread = new Thread(() -> {
                    try (Lease lease = dibs.lock(name).acquire(SOON)) {
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
    }

    /** No public method shows it. */
    private static boolean isQueued(Thread thread) {
        return Arrays.stream(thread.getStackTrace())
                .anyMatch(frame -> frame.getMethodName().matches("awaitFront|awaitRelease"));
    }

    @Test
    void anInterruptEndsTheWaitAndIsKept() throws InterruptedException {
        String name = fresh("interrupt");
        try (Dibs dibs = dibs();
                Lease held = dibs.lock(name).tryAcquire().orElseThrow()) {
            CompletableFuture<Throwable> thrown = new CompletableFuture<>();
            CompletableFuture<Boolean> flag = new CompletableFuture<>();
            Thread waiter = new Thread(() -> {
                try {
                    thrown.complete(new AssertionError(dibs.lock(name).acquire(SOON)));
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
    }

    @Test
    void aThreadThatIsInterruptedAlreadyMayStillTryAndClose() {
        String name = fresh("interrupted");
        try (Dibs dibs = dibs()) {
            Thread.currentThread().interrupt();
            Lease lease = dibs.lock(name).tryAcquire().orElseThrow();
            lease.close();
            assertThat(Thread.interrupted()).isTrue();
            assertThat(dibs.lock(name).tryAcquire()).as("it was released").isPresent();
        } finally {
            Thread.interrupted();
        }
    }

    @Test
    void aNegativeWaitIsAMistake() {
        try (Dibs dibs = dibs()) {
            assertThatThrownBy(() -> dibs.lock(fresh("negative")).tryAcquire(Duration.ofMillis(-1)))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("negative");
        }
    }

    @Test
    void aVeryLongWaitIsNoMistake() {
        try (Dibs dibs = dibs();
                Lease lease = dibs.lock(fresh("long")).acquire(Duration.ofDays(1_000_000))) {
            assertThat(lease.isValid()).isTrue();
        }
    }
}
