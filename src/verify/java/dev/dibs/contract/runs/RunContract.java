package dev.dibs.contract.runs;

import static org.awaitility.Awaitility.await;

import dev.dibs.contract.support.ContractFixture;
import dev.dibs.contract.support.Jobs;
import dev.dibs.database.FullTest;
import dev.dibs.runs.Run;
import dev.dibs.runs.RunState;
import dev.dibs.runs.RunStatus;
import dev.dibs.runs.RunWorkers;
import dev.dibs.runs.RunWorkers.End;
import java.time.Duration;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Many workers process a table, and obey the settings of their run. */
class RunContract extends ContractFixture {
    @Test
    void everyRowIsDoneOnceAndTheRunFinishes() throws Exception {
        String name = fresh("run");
        Jobs jobs = jobs(95);
        Queue<Long> worked = new ConcurrentLinkedQueue<>();
        Run run = here().run(name);
        assertThat(run.status()).isEmpty();
        assertRefused(() -> over(run, jobs).ensureFinished(), "never started");
        assertThatThrownBy(() -> run.errors(1)).hasMessageContaining("there is no run '" + name + "'");
        assertThatThrownBy(() -> run.dead(1)).hasMessageContaining("there is no run '" + name + "'");
        assertThatThrownBy(run::retryDead).hasMessageContaining("there is no run '" + name + "'");
        assertThatThrownBy(() -> run.pause("")).hasMessageContaining("there is no run '" + name + "'");
        assertEnds(End.FINISHED, over(run, jobs).batch(7).threads(3).work(key -> {
            awaitTotal(run);
            worked.add(key.asLong());
        }));
        assertThat(worked).hasSize(95).doesNotHaveDuplicates();
        assertThat(jobs.done()).hasSize(95);
        RunStatus status = run.status().orElseThrow();
        assertThat(status.done()).isEqualTo(95);
        assertThat(status.total()).hasValue(95);
        assertThat(status.left()).hasValue(0);
        assertThat(status.workers()).hasSize(3).noneMatch(worker -> worker.alive());
        over(run, jobs).ensureFinished();
    }

    /** A worker continues from its last rows, but earlier rows do not wait until the end. */
    @FullTest(except = "postgresql")
    void aRowThatComesBeforeTheOthersIsDoneSoon() throws Exception {
        Jobs jobs = jobs(1);
        jobs.run("UPDATE " + jobs.table() + " SET id = 100000");
        Queue<Long> worked = new ConcurrentLinkedQueue<>();
        AtomicLong last = new AtomicLong(100_000);
        AtomicLong patience = new AtomicLong(2_000);
        assertEnds(End.FINISHED, runOver(jobs).batch(1).work(key -> {
            worked.add(key.asLong());
            if (worked.size() == 20) {
                jobs.add(5);
            }
            // There is always another row behind it, until the earlier one was seen.
            if (!worked.contains(5L) && patience.decrementAndGet() > 0) {
                jobs.add(last.incrementAndGet());
                jobs.add(last.incrementAndGet());
                Thread.sleep(5);
            }
        }));
        assertThat(patience.get()).isPositive();
        assertThat(worked).contains(5L).doesNotHaveDuplicates();
        assertThat(jobs.done()).hasSize(worked.size());
    }

    /** No row behind the last ones does not mean that no row is left. */
    @Test
    void aRowBeforeTheLastOneDoesNotWaitForTheNextPoll() throws Exception {
        Jobs jobs = jobs(2);
        CountDownLatch before = new CountDownLatch(1);
        jobs.run("UPDATE " + jobs.table() + " SET id = id + 100000");
        closing(runOver(jobs)
                .batch(1)
                .pollEvery(Duration.ofHours(1))
                .work(key -> {
                    if (key.asLong() == 100_002) {
                        jobs.add(5);
                    } else if (key.asLong() == 5) {
                        before.countDown();
                    }
                })
                .start());
        assertThat(before.await(1, TimeUnit.MINUTES)).isTrue();
    }

    @Test
    void aRowThatKeepsFailingIsDeadAndTheOthersAreDone() throws Exception {
        Jobs jobs = jobs(12);
        Map<Long, AtomicInteger> tries = new ConcurrentHashMap<>();
        AtomicInteger healed = new AtomicInteger();
        Run run = here().run(fresh("dead"));
        assertEnds(
                End.INCOMPLETE,
                over(run, jobs)
                        .batch(5)
                        .maxAttempts(3)
                        .backoff(Duration.ofMillis(20), Duration.ofMillis(50))
                        .work(key -> {
                            tries.computeIfAbsent(key.asLong(), k -> new AtomicInteger())
                                    .incrementAndGet();
                            if (key.asLong() == 2 && healed.get() == 0) {
                                throw new IllegalArgumentException("a poisoned row: \u0000 \ud83d\ude00");
                            }
                            failIf(key.asLong() == 4 && tries.get(4L).get() < 3);
                        }));
        assertThat(tries.get(2L)).hasValue(3);
        assertThat(tries.get(4L)).hasValue(3);
        assertThat(jobs.done()).hasSize(11).doesNotContain(2L);
        assertThat(run.dead(10)).singleElement().satisfies(dead -> {
            assertThat(dead.key()).isEqualTo("2");
            assertThat(dead.attempts()).isEqualTo(3);
        });
        // Which row's last error is the newest depends on the random part of the pauses.
        assertThat(run.errors(10))
                .hasSize(5)
                .filteredOn(error -> error.key().equals("2"))
                .hasSize(3)
                .allSatisfy(error -> assertThat(error.stack()).contains("IllegalArgumentException", "RunContract"));
        assertThatThrownBy(() -> over(run, jobs).ensureFinished()).hasMessageContaining("1 are dead");

        healed.set(1);
        assertThat(run.retryDead()).isEqualTo(1);
        assertEnds(End.FINISHED, over(run, jobs).work(key -> failIf(healed.get() == 0)));
        assertThat(jobs.done()).hasSize(12);
        over(run, jobs).ensureFinished();
        assertThat(run.status().orElseThrow().failed()).isEqualTo(5);
    }

    @Test
    void workInTheTransactionTakesEffectOnce() throws Exception {
        Jobs jobs = jobs(30);
        AtomicInteger failures = new AtomicInteger();
        Run run = here().run(fresh("joined"));
        assertEnds(
                End.FINISHED,
                over(run, jobs)
                        .threads(3)
                        .backoff(Duration.ofMillis(10), Duration.ofMillis(20))
                        .workInTransaction((key, connection) -> {
                            jobs.effect(connection, key.asLong());
                            failIf(key.asLong() % 10 == 0 && failures.incrementAndGet() <= 4);
                        }));
        assertThat(jobs.effects()).hasSize(30).allMatch(effects -> effects == 1);
        assertThat(run.status().orElseThrow().done()).isEqualTo(30);
    }

    @FullTest(except = "postgresql")
    void anybodyCanPauseResumeAndStopIt() throws Exception {
        String name = fresh("switch");
        Jobs jobs = jobs(1000);
        AtomicInteger worked = new AtomicInteger();
        CountDownLatch some = new CountDownLatch(4);
        try (RunWorkers<?> workers = over(here().run(name), jobs)
                .batch(2)
                .threads(2)
                .work(key -> {
                    worked.incrementAndGet();
                    some.countDown();
                    // Slow enough that rows are left at the end, also if this test stands still for seconds.
                    Thread.sleep(50);
                })
                .start()) {
            assertThat(some.await(1, TimeUnit.MINUTES)).isTrue();
            Run there = there().run(name);
            await().until(() -> there.status().orElseThrow().workers().size() == 2);
            there.pause("a look at the disk");
            int atPause = worked.get();
            // A worker that pauses releases the rows that it has not processed yet.
            String claimed = "SELECT count(*) FROM " + jobs.table() + " WHERE request_token IS NOT NULL";
            await().until(() -> jobs.one(claimed) == 0);
            int later = worked.get();
            assertThat(later - atPause).as("no more than the batches in hand").isLessThanOrEqualTo(8);
            Thread.sleep(500);
            assertThat(worked).hasValue(later);
            RunStatus status = there.status().orElseThrow();
            assertThat(status.state()).isEqualTo(RunState.PAUSED);
            assertThat(status.reason()).isEqualTo("a look at the disk");
            assertThat(status.workers()).hasSize(2).allMatch(worker -> worker.alive());
            assertThat(status.done()).isEqualTo(later);

            there.setBatch(20);
            there.resume("go on");
            await().until(() -> worked.get() >= later + 30);
            there.stop("enough");
            assertThat(workers.await()).isEqualTo(End.STOPPED);
        }
        assertThat(jobs.done()).hasSize(worked.get());
        assertThat(jobs.claimed()).as("nothing stays claimed").isZero();
    }

    @FullTest(except = "postgresql")
    void tooManyFailuresStopTheRun() throws Exception {
        Jobs jobs = jobs(500);
        Run run = here().run(fresh("budget"));
        assertEnds(End.STOPPED, over(run, jobs).maxFailures(7).work(key -> failIf(true)));
        RunStatus status = run.status().orElseThrow();
        assertThat(status.failed()).isBetween(7L, 17L);
        assertThat(status.reason()).contains("limit is 7");
        run.setMaxFailures(0);
        run.setMaxFailurePercent(40);
        run.resume("the share is what matters");
        AtomicInteger count = new AtomicInteger();
        assertEnds(End.STOPPED, over(run, jobs).work(key -> failIf(count.incrementAndGet() % 2 == 0)));
        assertThat(run.status().orElseThrow().reason()).contains("40 %");
    }

    @FullTest(except = "postgresql")
    void theRateHoldsOverAllWorkers() throws Exception {
        Jobs jobs = jobs(40);
        AtomicInteger worked = new AtomicInteger();
        long start = System.nanoTime();
        assertEnds(End.FINISHED, runOver(jobs).batch(5).threads(3).rate(20).work(key -> worked.incrementAndGet()));
        // 40 rows are 8 batches of a quarter of a second each, of which the first need not wait.
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThan(Duration.ofMillis(1700));
        assertThat(worked).hasValue(40);
    }

    @Test
    void anEndlessRunGoesOnUntilItIsClosed() throws Exception {
        Jobs jobs = jobs(3);
        Queue<Long> worked = new ConcurrentLinkedQueue<>();
        RunWorkers<?> workers = runOver(jobs)
                .pollEvery(Duration.ofMillis(50))
                .work(key -> worked.add(key.asLong()))
                .start();
        await().until(() -> jobs.done().size() == 3);
        jobs.add(4);
        await().until(() -> jobs.done().size() == 4);
        workers.close();
        assertThat(workers.await()).isEqualTo(End.CLOSED);
        assertThat(worked).containsExactlyInAnyOrder(1L, 2L, 3L, 4L);
    }

    @Test
    void closingFinishesTheRowInHandAndReleasesTheRest() throws Exception {
        Jobs jobs = jobs(10);
        CountDownLatch begun = new CountDownLatch(1);
        CompletableFuture<Thread> closer = new CompletableFuture<>();
        RunWorkers<?> workers = runOver(jobs)
                .work(key -> {
                    begun.countDown();
                    awaitWaiting(closer.get());
                })
                .start();
        begun.await();
        close(workers, closer);
        assertThat(jobs.done()).containsExactly(1L);
        assertThat(jobs.claimed()).isZero();
    }

    /** A count that takes longer than the start waits goes on beside the workers, and ends with them. */
    static void awaitTotal(Run run) {
        await().pollDelay(Duration.ZERO)
                .until(() -> run.status().orElseThrow().total().isPresent());
    }

    /** Closes the workers, on a thread that is told to the row in hand. */
    static void close(RunWorkers<?> workers, CompletableFuture<Thread> closer) throws InterruptedException {
        Thread thread = new Thread(workers::close);
        thread.start();
        closer.complete(thread);
        thread.join();
    }

    /** Until it waits for this row, or has ended without. */
    static void awaitWaiting(Thread closer) throws InterruptedException {
        while (closer.getState() != Thread.State.TIMED_WAITING && closer.isAlive()) {
            Thread.sleep(5);
        }
    }
}
