package dev.dibs.contract.once;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.dibs.Dibs;
import dev.dibs.DibsException;
import dev.dibs.NotAcquiredException;
import dev.dibs.contract.support.Fixture;
import dev.dibs.once.Once;
import dev.dibs.once.OnceOutcome;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Work that failed a short time ago is not done. A caller that requires it gets it done, or an exception. */
@Tag("contract")
class OnceDoneContract extends Fixture {

    private static void fail(Once once) {
        assertThatThrownBy(() -> once.tryRun(lease -> {
                    throw new IOException("the disk is full");
                }))
                .isInstanceOf(IOException.class);
    }

    @Test
    void recentlyFailedWorkIsNotDone() {
        String name = fresh("failed");
        try (Dibs here = dibs();
                Dibs there = dibs()) {
            assertThat(there.once(name).ever().info()).isEmpty();
            fail(here.once(name).ever());
            for (Dibs dibs : new Dibs[] {here, there}) {
                Once once = dibs.once(name).ever();
                assertThat(once.tryRun(lease -> {})).isEqualTo(OnceOutcome.FAILED);
                assertThat(once.tryRun(Duration.ofMillis(20), lease -> {})).isEqualTo(OnceOutcome.FAILED);
                assertThatThrownBy(() -> once.requireDone(Duration.ZERO, lease -> {}))
                        .isExactlyInstanceOf(DibsException.class)
                        .hasMessageContaining("'" + name + "' is not done. It failed at ")
                        .hasMessageContaining("the disk is full")
                        .hasMessageContaining(
                                once.info().orElseThrow().retryAt().orElseThrow() + " on");
            }
        }
    }

    @Test
    void laterFailuresDoNotUndoThisPeriodsSuccess() throws Exception {
        String name = fresh("done");
        try (Dibs dibs = dibs()) {
            Once once = dibs.once(name).every(Duration.ofDays(30));
            once.requireDone(Duration.ZERO, lease -> {});
            Thread.sleep(150);
            fail(dibs.once(name).backoff(Duration.ofDays(1), Duration.ofDays(1)).every(Duration.ofMillis(100)));
            assertThat(once.tryRun(lease -> {})).isEqualTo(OnceOutcome.NOT_DUE);
            once.requireDone(Duration.ZERO, lease -> {
                throw new AssertionError("it is done");
            });
        }
    }

    @Test
    void requireTriesAgainAfterThePause() {
        String name = fresh("insist");
        try (Dibs here = dibs();
                Dibs there = dibs()) {
            Duration pause = Duration.ofMillis(200);
            fail(here.once(name).backoff(pause, pause).ever());
            AtomicInteger runs = new AtomicInteger();
            there.once(name).ever().requireDone(SOON, lease -> runs.incrementAndGet());
            here.once(name).ever().requireDone(Duration.ZERO, lease -> runs.incrementAndGet());
            assertThat(runs).hasValue(1);
        }
    }

    @Test
    void requireWaitsForTheRunningWorker() {
        String name = fresh("wait");
        try (Dibs here = builder(pool()).holder("node 7").build();
                Dibs there = dibs()) {
            Once others = there.once(name).ever();
            CompletableFuture<OnceOutcome> waiting = new CompletableFuture<>();
            here.once(name).ever().tryRun(lease -> {
                assertThatThrownBy(() -> others.requireDone(Duration.ZERO, inner -> {}))
                        .isInstanceOf(NotAcquiredException.class)
                        .hasMessage("'" + name + "' is not done: node 7 is doing it");
                waiting.completeAsync(() -> others.tryRun(SOON, inner -> {}));
                Thread.sleep(50);
                assertThat(waiting).isNotDone();
            });
            assertThat(waiting.join()).isEqualTo(OnceOutcome.NOT_DUE);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void aWaitForTheRunningWorkerCanBeInterrupted() {
        String name = fresh("interrupted");
        try (Dibs here = dibs();
                Dibs there = dibs()) {
            here.once(name).ever().tryRun(lease -> {
                Once others = there.once(name).ever();
                Thread.currentThread().interrupt();
                assertThatThrownBy(() -> others.requireDone(SOON, inner -> {}))
                        .isInstanceOf(NotAcquiredException.class)
                        .hasMessageContaining("the wait for it was interrupted");
                assertThat(Thread.interrupted()).as("the flag is set").isTrue();
            });
        }
    }
}
