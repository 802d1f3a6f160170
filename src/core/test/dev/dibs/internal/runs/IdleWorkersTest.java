package dev.dibs.internal.runs;

import static org.awaitility.Awaitility.await;

import dev.dibs.database.FullTest;
import dev.dibs.junit.Closing;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Workers by their numbers. Those that sleep have threads of their own. */
@Tag("unit")
@Timeout(120)
class IdleWorkersTest extends Closing {

    private static final long LONG = TimeUnit.HOURS.toNanos(1);
    private static final long SHORT = TimeUnit.MILLISECONDS.toNanos(50);

    private final AtomicBoolean over = new AtomicBoolean();
    private final IdleWorkers idle =
            new IdleWorkers(() -> over.get() || Thread.currentThread().isInterrupted());
    private final List<Thread> threads = new ArrayList<>();

    @AfterEach
    void end() throws InterruptedException {
        over.set(true);
        idle.wakeAll();
        for (Thread thread : threads) {
            thread.join();
        }
    }

    /** The worker has just looked in vain, and sleeps; done when it has to look again. */
    private CompletableFuture<Void> sleeps(int worker, long pause) {
        return calls(() -> idle.sleep(worker, idle.now(), pause));
    }

    private CompletableFuture<Void> calls(Runnable call) {
        CompletableFuture<Void> looks = new CompletableFuture<>();
        Thread thread = new Thread(() -> {
            call.run();
            looks.complete(null);
        });
        threads.add(thread);
        thread.start();
        await().until(() -> looks.isDone() || thread.getState() == Thread.State.TIMED_WAITING);
        return looks;
    }

    private static void assertStillAsleep(CompletableFuture<Void> sleeper) throws InterruptedException {
        Thread.sleep(100);
        assertThat(sleeper).isNotDone();
    }

    private static void awaitLook(CompletableFuture<Void> sleeper) throws Exception {
        sleeper.get(60, TimeUnit.SECONDS);
    }

    /** Not both. */
    private static void awaitOneOf(CompletableFuture<Void> one, CompletableFuture<Void> other) throws Exception {
        CompletableFuture.anyOf(one, other).get(60, TimeUnit.SECONDS);
        assertStillAsleep(one.isDone() ? other : one);
    }

    @Test
    void oneLooksForAll() throws Exception {
        AtomicInteger looks = new AtomicInteger();
        AtomicInteger atOnce = new AtomicInteger();
        CountDownLatch tooMany = new CountDownLatch(1);
        long start = System.nanoTime();
        for (int worker = 0; worker < 16; worker++) {
            int me = worker;
            Thread thread = new Thread(() -> {
                idle.sleep(me, idle.now(), SHORT);
                while (!over.get()) {
                    long began = idle.now();
                    if (atOnce.incrementAndGet() > 1) {
                        tooMany.countDown();
                    }
                    looks.incrementAndGet();
                    atOnce.decrementAndGet();
                    idle.sleep(me, began, SHORT);
                }
            });
            threads.add(thread);
            thread.start();
        }
        await().until(() -> looks.get() > 40);
        // A worker that falls asleep late may make a look due early, once each.
        long seen = looks.get();
        assertThat(seen).isLessThanOrEqualTo((System.nanoTime() - start) / SHORT + threads.size());
        assertThat(tooMany.getCount()).isEqualTo(1);
    }

    @Test
    void aWakeBetweenLookAndSleepIsNotMissed() {
        long began = idle.now();
        idle.wake();
        idle.sleep(1, began, LONG);
        assertThat(idle.now() - began).isLessThan(LONG);
    }

    @Test
    void aFullBatchWakesAWorkerThatHasJustLooked() throws Exception {
        awaitLook(sleeps(1, SHORT));
        long began = idle.now();
        idle.found(1, idle.now(), true, LONG);
        idle.sleep(2, began, LONG);
        assertThat(idle.now() - began).isLessThan(LONG);
    }

    @Test
    void aWakeBeforeTheLookIsOver() throws Exception {
        idle.wake();
        Thread.sleep(20);
        assertStillAsleep(sleeps(1, LONG));
    }

    @Test
    void aWakeDuringALookOfAnotherWorkerCausesAnotherLook() throws Exception {
        CompletableFuture<Void> lookout = sleeps(1, LONG);
        CompletableFuture<Void> other = sleeps(2, LONG);
        idle.wake();
        awaitLook(lookout);
        long began = idle.now();
        idle.wake();
        assertStillAsleep(other);
        idle.sleep(1, began, LONG);
    }

    @Test
    void manyWakesAreFewLooks() throws Exception {
        AtomicInteger looks = new AtomicInteger();
        Thread thread = new Thread(() -> {
            for (long began = idle.now(); !over.get(); looks.incrementAndGet()) {
                idle.sleep(1, began, LONG);
                began = idle.now();
            }
        });
        threads.add(thread);
        thread.start();
        long start = idle.now();
        while (looks.get() < 2 || idle.now() - start < TimeUnit.MILLISECONDS.toNanos(300)) {
            idle.wake();
        }
        long most = (idle.now() - start) / TimeUnit.MILLISECONDS.toNanos(10) + 2;
        assertThat((long) looks.get()).isBetween(2L, most);
    }

    @Test
    void aWorkerThatFindsARowHandsTheLookOn() throws Exception {
        CompletableFuture<Void> lookout = sleeps(1, LONG);
        CompletableFuture<Void> next = sleeps(2, LONG);
        CompletableFuture<Void> last = sleeps(3, LONG);
        idle.wake();
        awaitLook(lookout);
        idle.found(1, idle.now(), false, SHORT);
        awaitOneOf(next, last);
    }

    @Test
    void aFullBatchMakesTheNextLookDue() throws Exception {
        CompletableFuture<Void> lookout = sleeps(1, LONG);
        CompletableFuture<Void> next = sleeps(2, LONG);
        CompletableFuture<Void> last = sleeps(3, LONG);
        idle.found(4, idle.now(), false, LONG);
        assertStillAsleep(lookout);
        idle.found(4, idle.now(), true, LONG);
        awaitLook(lookout);
        idle.found(1, idle.now(), true, LONG);
        awaitOneOf(next, last);
    }

    @Test
    void aLookThatFailsIsDueAgainAtOnce() throws Exception {
        CompletableFuture<Void> lookout = sleeps(1, LONG);
        CompletableFuture<Void> next = sleeps(2, LONG);
        idle.wake();
        awaitLook(lookout);
        idle.leave(1);
        awaitLook(next);
    }

    @Test
    void anInterruptedLookoutHasASuccessor() throws Exception {
        CompletableFuture<Void> lookout = sleeps(1, LONG);
        CompletableFuture<Void> next = sleeps(2, SHORT);
        threads.get(0).interrupt();
        awaitLook(lookout);
        idle.leave(1);
        awaitLook(next);
    }

    /** Its thread may be interrupted just when it gets the look. */
    @Test
    void aWorkerThatLeavesCallsAnother() throws Exception {
        CompletableFuture<Void> lookout = sleeps(1, LONG);
        CompletableFuture<Void> interrupted = sleeps(2, LONG);
        CompletableFuture<Void> last = sleeps(3, LONG);
        idle.wake();
        awaitLook(lookout);
        threads.get(1).interrupt();
        idle.found(1, idle.now(), true, LONG);
        awaitLook(interrupted);
        idle.leave(2);
        awaitLook(last);
    }

    @FullTest
    void anotherTakesThePlaceOfALookThatHangs() throws Exception {
        CompletableFuture<Void> hangs = sleeps(1, LONG);
        CompletableFuture<Void> second = sleeps(2, LONG);
        CompletableFuture<Void> third = sleeps(3, LONG);
        idle.wake();
        awaitLook(hangs);
        assertStillAsleep(second);
        assertStillAsleep(third);
        awaitOneOf(second, third);
        awaitLook(second);
        awaitLook(third);
        // The place is not the first one's any more.
        idle.found(1, idle.now(), false, LONG);
        assertStillAsleep(sleeps(4, LONG));
    }

    @FullTest
    void aLookAfterAWakeOfAllIsWatched() throws Exception {
        CompletableFuture<Void> hangs = sleeps(1, LONG);
        idle.wakeAll();
        awaitLook(hangs);
        CompletableFuture<Void> other = sleeps(2, LONG);
        idle.wake();
        awaitLook(other);
    }

    /** Longer than the pause between two looks, and shorter than the patience of the others. */
    @FullTest
    void slowLooksAreOneAtATime() throws Exception {
        CompletableFuture<Void> lookout = sleeps(1, SHORT);
        CompletableFuture<Void> other = sleeps(2, LONG);
        awaitLook(lookout);
        for (int i = 0; i < 4; i++) {
            long began = idle.now();
            Thread.sleep(2_500);
            idle.sleep(1, began, SHORT);
        }
        assertThat(other).isNotDone();
    }

    @Test
    void aWorkerThatRestsLooksWhenItGetsTheLook() throws Exception {
        CompletableFuture<Void> lookout = sleeps(1, LONG);
        CompletableFuture<Void> rests = calls(() -> idle.rest(2, LONG));
        idle.wake();
        awaitLook(lookout);
        assertStillAsleep(rests);
        idle.found(1, idle.now(), false, LONG);
        awaitLook(rests);
    }

    @Test
    void aRestIsNotShorterWhileRowsCome() {
        long began = idle.now();
        idle.found(1, began, false, SHORT);
        idle.rest(1, 4 * SHORT);
        assertThat(idle.now() - began).isGreaterThan(3 * SHORT);
    }

    @Test
    void eachLooksItselfWhenAllAreWoken() throws Exception {
        List<CompletableFuture<Void>> all = new ArrayList<>();
        for (int worker = 0; worker < 5; worker++) {
            all.add(sleeps(worker, LONG));
        }
        long began = idle.now();
        idle.wakeAll();
        for (CompletableFuture<Void> one : all) {
            awaitLook(one);
        }
        idle.sleep(6, began, LONG);
        assertStillAsleep(sleeps(7, LONG));
    }

    /** A transaction that is open when it wakes is committed later, nobody knows when. */
    @Test
    void aWakeForLaterCausesUpToFourLooksTheLastAfterASecond() throws Exception {
        AtomicInteger looks = new AtomicInteger();
        looks(1, looks, LONG);
        long start = System.nanoTime();
        idle.wakeLater();
        await().until(() -> looks.get() > 0);
        int soon = looks.get();
        if (System.nanoTime() - start < TimeUnit.MILLISECONDS.toNanos(900)) {
            assertThat(soon).isLessThan(4);
        }
        Thread.sleep(Math.max(0, 900 - TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start)));
        int before = looks.get();
        await().until(() -> looks.get() > before || System.nanoTime() - start > TimeUnit.SECONDS.toNanos(20));
        Thread.sleep(1_100);
        assertThat(looks.get()).isBetween(1, 4);
    }

    private void looks(int worker, AtomicInteger looks, long pause) {
        Thread thread = new Thread(() -> {
            for (long began = idle.now(); !over.get(); looks.incrementAndGet()) {
                idle.sleep(worker, began, pause);
                began = idle.now();
            }
        });
        threads.add(thread);
        thread.start();
        await().until(() -> thread.getState() == Thread.State.TIMED_WAITING);
    }

    @Test
    void wakesForLaterThatDoNotEndCauseLooks() throws Exception {
        AtomicInteger looks = new AtomicInteger();
        looks(1, looks, LONG);
        for (int i = 0; looks.get() < 10 && i < 30_000; i++) {
            idle.wakeLater();
            Thread.sleep(1);
        }
        assertThat(looks.get()).isGreaterThanOrEqualTo(10);
    }

    @Test
    void moreThanAHundredNotificationsASecondAreNotWorthIt() throws Exception {
        AtomicInteger looks = new AtomicInteger();
        looks(1, looks, LONG);
        // A second without a notification ends it.
        for (int tries = 0; tries < 5 && looks.get() <= 5; tries++) {
            boolean worth = true;
            for (int i = 0; i < 100_000 && worth; i++) {
                worth = idle.wake(false);
            }
            assertThat(worth).isFalse();
            idle.found(2, idle.now(), false, LONG);
            looks.set(0);
            Thread.sleep(500);
        }
        assertThat(looks.get()).as("it looks often instead").isGreaterThan(5);
        // As nothing is found any more, that ends, and notifications are welcome again.
        await().until(() -> {
            Thread.sleep(300);
            return idle.wake(true);
        });
    }

    @Test
    void whileRowsComeTheLooksAreCloser() {
        long pause = TimeUnit.SECONDS.toNanos(4);
        long took = pause;
        for (int tries = 0; tries < 3 && took > pause / 2; tries++) {
            long began = idle.now();
            idle.found(1, began, false, pause);
            idle.sleep(1, idle.now(), pause);
            took = idle.now() - began;
        }
        assertThat(took).isBetween(pause / 5, pause / 2);
    }
}
