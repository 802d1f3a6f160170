package dev.dibs.contract.locks.acquire;

import static org.awaitility.Awaitility.await;

import dev.dibs.Acquirable;
import dev.dibs.Dibs;
import dev.dibs.JumpingClock;
import dev.dibs.Lease;
import dev.dibs.NotAcquiredException;
import dev.dibs.contract.support.ContractFixture;
import dev.dibs.contract.support.Warnings;
import dev.dibs.database.FullRun;
import dev.dibs.database.FullTest;
import dev.dibs.once.Once;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Function;
import org.assertj.core.api.AbstractThrowableAssert;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A caller that waits for itself is told so. */
@FullRun(except = "postgresql")
class SelfWaitContract extends ContractFixture {

    private static final Duration LONGER_THAN_THE_WARNING = Duration.ofSeconds(2);

    private final JumpingClock clock = new JumpingClock();
    private Dibs waiting;

    @BeforeEach
    void openInstance() {
        waiting = closing(
                clock.by(builder(pool()).leaseLength(Duration.ofMinutes(10))).build());
    }

    /** Waits until there is a warning, however long that takes. */
    private AbstractThrowableAssert<?, ?> assertWaitsUntilWarned(Function<Duration, ?> acquire, Warnings warnings) {
        CompletableFuture<Void> end = CompletableFuture.runAsync(() -> {
            try {
                await().until(() -> !warnings.heard().isEmpty());
            } finally {
                clock.jump(LONG);
            }
        });
        Throwable told = catchThrowable(() -> acquire.apply(LONG));
        end.join();
        return assertThat(told)
                .isInstanceOf(NotAcquiredException.class)
                .hasMessageContaining("this thread itself holds");
    }

    private void assertToldAndWarned(Lease own, Acquirable<?> nested) {
        try (own;
                Warnings warnings = new Warnings(own.name())) {
            assertThatThrownBy(() -> nested.acquire(Duration.ZERO))
                    .isInstanceOf(NotAcquiredException.class)
                    .hasMessageContaining("this thread itself holds");
            assertThat(warnings.heard()).as("not before a second").isEmpty();
            assertWaitsUntilWarned(nested::acquire, warnings).hasMessageContaining("use that lease, or close it first");
            assertThat(warnings.heard()).singleElement().asString().contains("would wait for itself");
        }
    }

    @Test
    void aLockWithinItself() {
        String name = fresh("lock");
        assertToldAndWarned(waiting.lock(name).acquire(Duration.ZERO), waiting.lock(name));
        assertToldAndWarned(waiting.lock(name).holdAtLeast(Duration.ofMillis(1)).acquire(LONG), waiting.lock(name));
    }

    @Test
    void aFairLockWithinItself() {
        String name = fresh("fair");
        assertToldAndWarned(
                waiting.lock(name).fair().acquire(Duration.ZERO),
                waiting.lock(name).fair());
    }

    @FullTest(except = {"postgresql", "h2"})
    void aPermitWithinItself() {
        String name = fresh("permit");
        assertToldAndWarned(waiting.semaphore(name, 1).acquire(Duration.ZERO), waiting.semaphore(name, 1));
    }

    @Test
    void aWriterAndAReaderWithinAWriter() {
        String name = fresh("write");
        assertToldAndWarned(
                waiting.readWriteLock(name).write().acquire(Duration.ZERO),
                waiting.readWriteLock(name).write());
        assertToldAndWarned(
                waiting.readWriteLock(name).write().acquire(Duration.ZERO),
                waiting.readWriteLock(name).read());
    }

    @Test
    void severalLocksOfWhichOneIsHeld() {
        String name = fresh("several");
        List<String> names = List.of(name + "a", name + "b");
        try (Lease own = waiting.lock(name + "b").acquire(Duration.ZERO);
                Warnings warnings = new Warnings(own.name())) {
            assertWaitsUntilWarned(waiting.lockAll(names)::acquire, warnings);
        }
        waiting.lockAll(names).acquire(Duration.ZERO);
        assertThatThrownBy(() -> waiting.lock(name + "a").acquire(Duration.ZERO))
                .hasMessageContaining("this thread itself holds");
    }

    @Test
    void onceWithinItself() throws Exception {
        Once once = waiting.once(fresh("once")).every(Duration.ofDays(1));
        Warnings warnings = closing(new Warnings(once.name()));
        Function<Duration, ?> again = wait -> {
            once.requireDone(wait, lease -> {});
            return once;
        };
        once.tryRun(lease -> assertWaitsUntilWarned(again, warnings));
        assertThat(warnings.heard()).singleElement().asString().contains("would wait for itself");
    }

    @Test
    void anotherThreadOfThisInstanceIsNamed() throws Exception {
        ExecutorService other = Executors.newSingleThreadExecutor(work -> new Thread(work, "the-other-one"));
        String name = fresh("thread");
        closing(() -> other.shutdown());
        Dibs dibs = dibs();
        Warnings warnings = closing(new Warnings(name));
        Lease lease = other.submit(() -> dibs.lock(name).acquire(Duration.ZERO)).get();
        assertThatThrownBy(() -> dibs.lock(name).acquire(LONGER_THAN_THE_WARNING))
                .isInstanceOf(NotAcquiredException.class)
                .hasMessageContaining("thread 'the-other-one' of this Dibs holds it");
        assertThat(warnings.heard()).as("that is an ordinary wait").isEmpty();
        lease.close();
    }

    @FullTest(except = {"postgresql", "h2"})
    void anotherThreadMayCloseTheLease() throws Exception {
        ExecutorService other = Executors.newSingleThreadExecutor();
        String name = fresh("closed");
        closing(() -> other.shutdown());
        Warnings warnings = closing(new Warnings(name));
        Lease own = here().lock(name).acquire(Duration.ZERO);
        var closing = other.submit(() -> {
            while (warnings.heard().isEmpty()) {
                Thread.sleep(5);
            }
            own.close();
            return null;
        });
        here().lock(name).acquire(LONG).close();
        closing.get();
    }
}
