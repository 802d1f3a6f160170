package dev.dibs.contract.locks.acquire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.dibs.Acquirable;
import dev.dibs.Dibs;
import dev.dibs.Lease;
import dev.dibs.Leases;
import dev.dibs.NotAcquiredException;
import dev.dibs.contract.support.Fixture;
import dev.dibs.contract.support.Warnings;
import dev.dibs.database.FullRun;
import dev.dibs.once.Once;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A caller that waits for itself is told so. */
@Tag("contract")
@FullRun(except = "postgresql")
class SelfWaitContract extends Fixture {

    private static final Duration LONGER_THAN_THE_WARNING = Duration.ofSeconds(2);

    private void assertToldAndWarned(Lease own, Acquirable<?> nested) {
        try (own;
                Warnings warnings = new Warnings(own.name())) {
            assertThatThrownBy(() -> nested.acquire(Duration.ZERO))
                    .isInstanceOf(NotAcquiredException.class)
                    .hasMessageContaining("this thread itself holds");
            assertThat(warnings.heard()).as("not before a second").isEmpty();
            assertThatThrownBy(() -> nested.acquire(LONGER_THAN_THE_WARNING))
                    .isInstanceOf(NotAcquiredException.class)
                    .hasMessageContaining("this thread itself holds")
                    .hasMessageContaining("use that lease, or close it first");
            assertThat(warnings.heard()).singleElement().asString().contains("would wait for itself");
        }
    }

    @Test
    void aLockWithinItself() {
        try (Dibs dibs = dibs()) {
            String name = fresh("lock");
            assertToldAndWarned(dibs.lock(name).acquire(Duration.ZERO), dibs.lock(name));
            assertToldAndWarned(
                    dibs.lock(name).holdAtLeast(Duration.ofMillis(1)).acquire(LONG), dibs.lock(name));
        }
    }

    @Test
    void aFairLockWithinItself() {
        try (Dibs dibs = dibs()) {
            String name = fresh("fair");
            assertToldAndWarned(
                    dibs.lock(name).fair().acquire(Duration.ZERO),
                    dibs.lock(name).fair());
        }
    }

    @Test
    @FullRun(except = {"postgresql", "h2"})
    void aPermitWithinItself() {
        try (Dibs dibs = dibs()) {
            String name = fresh("permit");
            assertToldAndWarned(dibs.semaphore(name, 1).acquire(Duration.ZERO), dibs.semaphore(name, 1));
        }
    }

    @Test
    void aWriterAndAReaderWithinAWriter() {
        try (Dibs dibs = dibs()) {
            String name = fresh("write");
            assertToldAndWarned(
                    dibs.readWriteLock(name).write().acquire(Duration.ZERO),
                    dibs.readWriteLock(name).write());
            assertToldAndWarned(
                    dibs.readWriteLock(name).write().acquire(Duration.ZERO),
                    dibs.readWriteLock(name).read());
        }
    }

    @Test
    void severalLocksOfWhichOneIsHeld() {
        try (Dibs dibs = dibs()) {
            String name = fresh("several");
            List<String> names = List.of(name + "a", name + "b");
            try (Lease own = dibs.lock(name + "b").acquire(Duration.ZERO);
                    Warnings warnings = new Warnings(own.name())) {
                assertThatThrownBy(() -> dibs.lockAll(names).acquire(LONGER_THAN_THE_WARNING))
                        .isInstanceOf(NotAcquiredException.class)
                        .hasMessageContaining("this thread itself holds");
                assertThat(warnings.heard()).isNotEmpty();
            }
            try (Leases ignored = dibs.lockAll(names).acquire(Duration.ZERO)) {
                assertThatThrownBy(() -> dibs.lock(name + "a").acquire(Duration.ZERO))
                        .hasMessageContaining("this thread itself holds");
            }
        }
    }

    @Test
    void onceWithinItself() throws Exception {
        try (Dibs dibs = dibs();
                Warnings warnings = new Warnings("would wait for itself")) {
            Once once = dibs.once(fresh("once")).every(Duration.ofDays(1));
            once.tryRun(lease -> assertThatThrownBy(() -> once.requireDone(LONGER_THAN_THE_WARNING, again -> {}))
                    .isInstanceOf(NotAcquiredException.class)
                    .hasMessageContaining("this thread itself holds"));
            assertThat(warnings.heard()).anyMatch(line -> line.contains(once.name()));
        }
    }

    @Test
    void anotherThreadOfThisInstanceIsNamed() throws Exception {
        ExecutorService other = Executors.newSingleThreadExecutor(work -> new Thread(work, "the-other-one"));
        String name = fresh("thread");
        try (Dibs dibs = dibs();
                Warnings warnings = new Warnings(name)) {
            Lease lease =
                    other.submit(() -> dibs.lock(name).acquire(Duration.ZERO)).get();
            assertThatThrownBy(() -> dibs.lock(name).acquire(LONGER_THAN_THE_WARNING))
                    .isInstanceOf(NotAcquiredException.class)
                    .hasMessageContaining("thread 'the-other-one' of this Dibs holds it");
            assertThat(warnings.heard()).as("that is an ordinary wait").isEmpty();
            lease.close();
        } finally {
            other.shutdown();
        }
    }

    @Test
    @FullRun(except = {"postgresql", "h2"})
    void anotherThreadMayCloseTheLease() throws Exception {
        ExecutorService other = Executors.newSingleThreadExecutor();
        String name = fresh("closed");
        try (Dibs dibs = dibs();
                Warnings warnings = new Warnings(name)) {
            Lease own = dibs.lock(name).acquire(Duration.ZERO);
            var closing = other.submit(() -> {
                while (warnings.heard().isEmpty()) {
                    Thread.sleep(5);
                }
                own.close();
                return null;
            });
            dibs.lock(name).acquire(LONG).close();
            closing.get();
        } finally {
            other.shutdown();
        }
    }
}
