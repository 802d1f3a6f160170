package dev.dibs.contract.once;

import static dev.dibs.contract.once.OnceContract.HOUR;
import static dev.dibs.contract.once.OnceContract.ask;

import dev.dibs.Dibs;
import dev.dibs.NotAcquiredException;
import dev.dibs.contract.support.ContractFixture;
import dev.dibs.once.Once;
import dev.dibs.once.OnceOutcome;
import java.io.IOException;
import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/**
 * Work that failed a short time ago is not done. A caller that requires it gets it done, or an exception. Work of a calendar belongs to the
 * period in which it began. Work that is done can be forgotten, so that it is done again.
 */
class OnceDoneContract extends ContractFixture {
    /** When the period began: an hour ago. */
    private final Instant boundary = Instant.now().minus(HOUR);

    private static void fail(Once once) {
        assertThatThrownBy(() -> once.tryRun(lease -> {
                    throw new IOException("the disk is full");
                }))
                .isInstanceOf(IOException.class);
    }

    @Test
    void recentlyFailedWorkIsNotDone() {
        String name = fresh("failed");
        assertThat(there().once(name).ever().info()).isEmpty();
        fail(here().once(name).backoff(HOUR, HOUR).ever());
        for (Dibs dibs : new Dibs[] {here(), there()}) {
            Once once = dibs.once(name).ever();
            assertThat(ask(once)).isEqualTo(OnceOutcome.FAILED);
            assertThat(once.tryRun(Duration.ofMillis(20), lease -> {})).isEqualTo(OnceOutcome.FAILED);
            assertRefused(
                    () -> once.requireDone(Duration.ZERO, lease -> {}),
                    "'" + name + "' is not done. It failed at ",
                    "the disk is full",
                    once.info().orElseThrow().retryAt().orElseThrow() + " on");
        }
    }

    @Test
    void laterFailuresDoNotUndoThisPeriodsSuccess() throws Exception {
        String name = fresh("done");
        Once once = here().once(name).every(Duration.ofDays(30));
        once.requireDone(Duration.ZERO, lease -> {});
        Thread.sleep(150);
        fail(here().once(name).backoff(Duration.ofDays(1), Duration.ofDays(1)).every(Duration.ofMillis(100)));
        assertThat(ask(once)).isEqualTo(OnceOutcome.NOT_DUE);
        once.requireDone(Duration.ZERO, lease -> {
            throw new AssertionError("it is done");
        });
    }

    @Test
    void requireTriesAgainAfterThePause() {
        String name = fresh("insist");
        Duration pause = Duration.ofMillis(200);
        fail(here().once(name).backoff(pause, pause).ever());
        AtomicInteger runs = new AtomicInteger();
        there().once(name).ever().requireDone(SOON, lease -> runs.incrementAndGet());
        here().once(name).ever().requireDone(Duration.ZERO, lease -> runs.incrementAndGet());
        assertThat(runs).hasValue(1);
    }

    @Test
    void requireWaitsForTheRunningWorker() throws InterruptedException {
        String name = fresh("wait");
        Dibs here = closing(builder(pool()).holder("node 7").build());
        Once others = there().once(name).ever();
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
    }

    @Test
    void aWaitForTheRunningWorkerCanBeInterrupted() {
        String name = fresh("interrupted");
        Dibs there = dibs();
        here().once(name).ever().tryRun(lease -> {
            Once others = there.once(name).ever();
            Thread.currentThread().interrupt();
            assertThatThrownBy(() -> others.requireDone(SOON, inner -> {}))
                    .isInstanceOf(NotAcquiredException.class)
                    .hasMessageContaining("the wait for it was interrupted");
            assertThat(Thread.interrupted()).as("the flag is set").isTrue();
        });
    }

    private Once daily(Dibs dibs, String name) {
        return dibs.once(name)
                .backoff(Duration.ZERO, Duration.ZERO)
                .daily(LocalTime.ofInstant(boundary, ZoneOffset.UTC), ZoneOffset.UTC);
    }

    /** As if the last success had ended so long after the boundary, and taken that long. */
    private void succeeded(String name, long millisAfter, String duration) throws Exception {
        sql().run("UPDATE dibs_once SET succeeded_at = " + (boundary.toEpochMilli() + millisAfter) + ", duration_ms = "
                + duration + " WHERE name = '" + name + "'");
    }

    private OnceOutcome askAnew(String name) {
        try (Dibs dibs = dibs()) {
            return daily(dibs, name).tryRun(lease -> {});
        }
    }

    @Test
    void workThatBeganBeforeTheBoundaryIsNotOfThisPeriod() throws Exception {
        String name = fresh("straddling");
        assertThat(askAnew(name)).isEqualTo(OnceOutcome.RAN);
        assertThat(askAnew(name)).isEqualTo(OnceOutcome.NOT_DUE);
        for (String duration : new String[] {"0", "NULL", "900"}) {
            succeeded(name, 1000, duration);
            assertThat(askAnew(name)).as(duration).isEqualTo(OnceOutcome.NOT_DUE);
        }
        succeeded(name, 1000, "2000");
        assertThat(askAnew(name)).isEqualTo(OnceOutcome.RAN);
        assertThat(askAnew(name)).isEqualTo(OnceOutcome.NOT_DUE);
    }

    /** Its duration is not that of the last success. */
    @Test
    void aFailureInBetweenChangesNothing() throws Exception {
        String name = fresh("failed");
        assertThat(askAnew(name)).isEqualTo(OnceOutcome.RAN);
        succeeded(name, 1000, "2000");
        try (Dibs dibs = dibs()) {
            assertThatThrownBy(() -> daily(dibs, name).tryRun(lease -> {
                        throw new IllegalStateException("bad");
                    }))
                    .hasMessage("bad");
        }
        assertThat(askAnew(name)).isEqualTo(OnceOutcome.RAN);
    }

    /** The end counts, as its description says. */
    @Test
    void aPeriodBeginsWithTheEndOfTheWork() throws Exception {
        String name = fresh("every");
        assertThat(ask(there().once(name).every(Duration.ofMinutes(70)))).isEqualTo(OnceOutcome.RAN);
        succeeded(name, 0, "3600000");
        assertThat(ask(here().once(name).every(Duration.ofMinutes(70)))).isEqualTo(OnceOutcome.NOT_DUE);
    }

    @Test
    void forgottenWorkIsDueUnderEachSchedule() {
        String name = fresh("forgotten");
        String other = fresh("remembered");
        Dibs dibs = dibs();
        for (Once once : new Once[] {
            dibs.once(name).every(Duration.ofDays(30)),
            dibs.once(name).daily(OnceContract.zoneFarFrom(LocalTime.MIDNIGHT)),
            dibs.once(name).ever()
        }) {
            dibs.once(other).ever().tryRun(lease -> {});
            once.tryRun(lease -> {});
            assertThat(ask(once)).isEqualTo(OnceOutcome.NOT_DUE);
            assertThat(dibs.once(name).forget()).isTrue();
            assertThat(OnceContract.info(dibs, name).lastSuccess()).isEmpty();
            assertThat(ask(once)).isEqualTo(OnceOutcome.RAN);
        }
        assertThat(ask(dibs.once(other).ever())).isEqualTo(OnceOutcome.NOT_DUE);
    }

    @Test
    void thePauseAfterAFailureIsForgotten() {
        String name = fresh("failed");
        Once once = here().once(name).backoff(HOUR, HOUR).every(Duration.ofDays(1));
        fail(once);
        assertThat(ask(once)).isEqualTo(OnceOutcome.FAILED);
        assertThat(here().once(name).forget()).isTrue();
        assertThat(OnceContract.info(here(), name).retryAt()).isEmpty();
        assertThat(OnceContract.info(here(), name).error())
                .as("still to be seen")
                .contains("the disk is full");
        assertThat(ask(once)).isEqualTo(OnceOutcome.RAN);
    }

    @Test
    void forgetLeavesTheRunningWorkerAlone() {
        String name = fresh("busy");
        assertThat(there().once(name).forget()).as("nobody knows it").isFalse();
        OnceOutcome outcome = here().once(name).every(Duration.ofDays(1)).tryRun(lease -> {
            assertThat(there().once(name).forget()).isFalse();
            lease.check();
        });
        assertThat(outcome).isEqualTo(OnceOutcome.RAN);
        assertThat(OnceContract.info(there(), name).lastSuccess()).isPresent();
    }

    /** As by a runner that is just beginning. */
    @Test
    void forgetSkipsALockedRow() throws Exception {
        assumeRowLocks();
        String name = fresh("locked");
        Dibs dibs = dibs(impatient());
        dibs.once(name).every(Duration.ofDays(1)).tryRun(lease -> {});
        Connection other = transaction();
        run(other, "UPDATE dibs_once SET failures = failures WHERE name = '" + name + "'");
        assertThat(dibs.once(name).forget()).isFalse();
        other.rollback();
        assertThat(OnceContract.info(dibs, name).lastSuccess()).isPresent();
    }
}
