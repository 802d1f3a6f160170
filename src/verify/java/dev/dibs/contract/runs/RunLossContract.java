package dev.dibs.contract.runs;

import static org.awaitility.Awaitility.await;

import dev.dibs.Dibs;
import dev.dibs.DibsException;
import dev.dibs.claims.ClaimsBuilder;
import dev.dibs.claims.RowClaims;
import dev.dibs.claims.RowKey;
import dev.dibs.contract.support.ContractFixture;
import dev.dibs.contract.support.Jobs;
import dev.dibs.contract.support.Warnings;
import dev.dibs.database.FullTest;
import dev.dibs.database.Sql;
import dev.dibs.database.Trait;
import dev.dibs.runs.Run;
import dev.dibs.runs.RunStatus;
import dev.dibs.runs.RunWorkers;
import dev.dibs.runs.RunWorkers.End;
import java.sql.Connection;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/**
 * Rows that a worker loses, finds abandoned, releases, or that are locked. A run that loses every row of its batches again and again says
 * so, and ends.
 */
class RunLossContract extends ContractFixture {
    static final Duration PATIENT = Duration.ofMinutes(1);

    @Test
    void aRowThatIsTakenAwayInterruptsItsWorkerAndIsNoFailure() throws Exception {
        String name = fresh("taken");
        Jobs jobs = jobs(3);
        Dibs dibs = closing(builder(pool()).leaseLength(LEASE).build());
        CountDownLatch begun = new CountDownLatch(1);
        AtomicBoolean interrupted = new AtomicBoolean();
        RowClaims<RowKey> claims = jobs.claims(dibs).build();
        RunWorkers<?> workers = dibs.run(name)
                .over(claims)
                .work(key -> {
                    if (begun.getCount() > 0) {
                        begun.countDown();
                        try {
                            Thread.sleep(PATIENT.toMillis());
                        } catch (InterruptedException e) {
                            interrupted.set(true);
                            throw e;
                        }
                    }
                })
                .start();
        begun.await();
        jobs.run("UPDATE " + jobs.table() + " SET request_token = NULL, claimed_until = NULL");
        assertThat(workers.await(PATIENT)).isTrue();
        assertThat(interrupted).isTrue();
        assertThat(jobs.done()).hasSize(3);
        RunStatus status = dibs.run(name).status().orElseThrow();
        assertThat(status.failed()).isZero();
        assertThat(status.done()).isEqualTo(3);
    }

    /** An interrupt would close the file of an embedded H2, and hide the outcome of the commit. */
    @Test
    void closingWorkersInterruptsNoStatementOfDibs() throws Exception {
        Jobs jobs = jobs(1);
        Dibs dibs = closing(builder(faulty()).build());
        AtomicReference<Thread> worker = new AtomicReference<>();
        AtomicReference<RunWorkers<?>> workers = new AtomicReference<>();
        AtomicBoolean interrupted = new AtomicBoolean();
        faulty().on(sql -> sql.equals("COMMIT") && worker.get() == Thread.currentThread())
                .actBefore(() -> {
                    CountDownLatch closed = new CountDownLatch(1);
                    Thread closer = new Thread(() -> {
                        // So that it does not wait for a minute before it interrupts.
                        Thread.currentThread().interrupt();
                        workers.get().close();
                        closed.countDown();
                    });
                    closer.start();
                    try {
                        closed.await();
                    } catch (InterruptedException e) {
                        interrupted.set(true);
                    }
                });
        workers.set(dibs.run(fresh("closed")).over(jobs.claims(dibs).build()).workInTransaction((key, connection) -> {
            jobs.effect(connection, key.asLong());
            worker.set(Thread.currentThread());
        }));
        workers.get().start();
        assertThat(workers.get().await(PATIENT)).isTrue();
        assertThat(faulty().struck()).containsExactly("COMMIT");
        assertThat(interrupted).isFalse();
        assertThat(jobs.done()).hasSize(1);
    }

    /** Before a renewal has noticed: only the token in the statement shows it. */
    @FullTest(except = "postgresql")
    void aRowOfAnotherHolderIsNotCompleted() throws Exception {
        // Nobody can rob it while a transaction keeps all others from writing.
        for (boolean joined : database().has(Trait.LOCKS_ROWS) ? new boolean[] {false, true} : new boolean[] {false}) {
            String name = fresh("robbed");
            Jobs jobs = jobs(1);
            AtomicInteger worked = new AtomicInteger();
            var builder = over(here().run(name), jobs);
            RunWorkers<?> workers = joined
                    ? builder.workInTransaction((key, connection) -> {
                        jobs.effect(connection, key.asLong());
                        robOnce(jobs, worked);
                    })
                    : builder.work(key -> robOnce(jobs, worked));
            workers.start();
            await().until(() -> worked.get() > 0);
            assertThat(workers.await(Duration.ofSeconds(1))).isFalse();
            assertThat(jobs.done()).isEmpty();
            assertThat(jobs.effects()).isEmpty();
            jobs.run("UPDATE " + jobs.table() + " SET request_token = NULL, claimed_until = NULL");
            assertThat(workers.await(PATIENT)).isTrue();
            assertThat(jobs.done()).hasSize(1);
            assertThat(jobs.effects()).hasSize(joined ? 1 : 0);
            assertCounts(here().run(name), 1, 0);
        }
    }

    private static void robOnce(Jobs jobs, AtomicInteger worked) throws Exception {
        if (worked.get() == 0) {
            jobs.run("UPDATE " + jobs.table() + " SET request_token = 'robber', claimed_until = 4000000000000");
            worked.incrementAndGet();
        }
    }

    @Test
    void aRowThatWasLeftOverAndThenFailsCountsOneAttempt() throws Exception {
        String name = fresh("left-over");
        Jobs jobs = jobs(3);
        jobs.run("UPDATE " + jobs.table() + " SET request_token = 'somebody', claimed_until = 5 WHERE id < 3");
        AtomicInteger failures = new AtomicInteger();
        assertEnds(
                End.FINISHED,
                over(here().run(name), jobs)
                        .backoff(Duration.ofMillis(10), Duration.ofMillis(10))
                        .work(key -> failIf(key.asLong() == 2 && failures.getAndIncrement() == 0)));
        assertThat(jobs.done()).hasSize(3);
        assertThat(here().run(name).errors(9))
                .singleElement()
                .satisfies(error -> assertThat(error.attempt()).isEqualTo(1));
        over(here().run(name), jobs).ensureFinished();
    }

    @Test
    void rowThatIsRetryingSurvivesItsRelease() throws Exception {
        String name = fresh("given-back");
        Jobs jobs = jobs(3);
        ClaimsBuilder claims = jobs.claims(here());
        Queue<Long> worked = new ConcurrentLinkedQueue<>();
        CountDownLatch second = new CountDownLatch(1);
        CompletableFuture<Thread> closer = new CompletableFuture<>();
        RunWorkers<?> first = here().run(name)
                .over(claims.build())
                .backoff(Duration.ofMillis(1), Duration.ofMillis(1))
                .work(key -> {
                    worked.add(key.asLong());
                    failIf(worked.size() <= 3);
                    second.countDown();
                    RunContract.awaitWaiting(closer.get());
                })
                .start();
        second.await();
        RunContract.close(first, closer);
        assertThat(jobs.done()).hasSizeLessThan(3);
        RunWorkers<?> next = here().run(name)
                .over(claims.build())
                .pollEvery(Duration.ofMillis(50))
                .work(key -> {})
                .start();
        await().until(() -> jobs.done().size() == 3);
        next.close();
        assertThat(here().run(name).status().orElseThrow().retrying()).isZero();
    }

    @Test
    void aDeadRowThatIsLockedStaysDeadUntilItCanBeTriedAgain() throws Exception {
        assumeRowLocks();
        String name = fresh("dead-locked");
        Jobs jobs = jobs(2);
        AtomicBoolean healed = new AtomicBoolean();
        RunWorkers<?> workers = over(here().run(name), jobs)
                .maxAttempts(1)
                .pollEvery(Duration.ofMillis(50))
                .work(key -> failIf(!healed.get()))
                .start();
        await().until(() -> here().run(name).dead(9).size() == 2);
        healed.set(true);
        Connection connection = transaction();
        Sql.on(connection).run("UPDATE " + jobs.table() + " SET what = 'locked' WHERE id = 1");
        assertThat(here().run(name).retryDead()).isEqualTo(2);
        await().until(() -> !jobs.done().isEmpty());
        Thread.sleep(200);
        connection.commit();
        await().until(() -> jobs.done().size() == 2);
        workers.close();
        assertThat(here().run(name).dead(9)).isEmpty();
    }

    /** As another program does that writes to the columns of the claims. */
    private static void end(Jobs jobs, long id) throws Exception {
        jobs.run("UPDATE " + jobs.table() + " SET request_token = NULL, claimed_until = NULL WHERE id = " + id);
    }

    @FullTest(except = {"postgresql", "h2"})
    void aWorkerThatLosesAllRowsOfItsBatchesEnds() throws Exception {
        for (boolean joined : new boolean[] {false, true}) {
            Jobs jobs = jobs(3);
            // Else the release of a lost claim, in the background, reads and locks rows that the next claim then
            // skips.
            jobs.run("CREATE INDEX " + jobs.table() + "_token ON " + jobs.table() + " (request_token)");
            Run run = here().run(fresh("lost"));
            AtomicInteger worked = new AtomicInteger();
            try (Warnings warnings = new Warnings(run.name())) {
                RunWorkers<?> workers = assertEnds(
                        End.FAILED,
                        joined
                                ? over(run, jobs).workInTransaction((key, connection) -> {
                                    worked.incrementAndGet();
                                    end(jobs, key.asLong());
                                })
                                : over(run, jobs).work(key -> {
                                    worked.incrementAndGet();
                                    end(jobs, key.asLong());
                                }));
                assertThat(workers.failure().orElseThrow())
                        .isExactlyInstanceOf(DibsException.class)
                        .hasMessageContaining("every row was lost in 5 batches in a row")
                        .hasMessageContaining("[1, 2, 3]");
                assertThat(warnings.heard()).anyMatch(line -> line.contains("every row was lost in 2 batches"));
            }
            assertThat(worked).hasValue(15);
            RunStatus status = run.status().orElseThrow();
            assertThat(status.done()).isZero();
            assertThat(status.failed()).as("of all batches but the first").isEqualTo(12);
            assertThat(status.workers().get(0).error().orElseThrow()).contains("every row was lost");
            assertThat(run.errors(9))
                    .hasSize(5)
                    .allMatch(error -> error.message().contains("every row was lost"));
        }
    }

    @Test
    void aBatchThatIsDoneEndsTheCount() throws Exception {
        Jobs jobs = jobs(2);
        Run run = here().run(fresh("lost-at-times"));
        AtomicInteger worked = new AtomicInteger();
        assertEnds(End.FINISHED, over(run, jobs).batch(1).work(key -> {
            if (worked.incrementAndGet() % 5 != 0) {
                end(jobs, key.asLong());
            }
        }));
        assertThat(worked).hasValue(10);
        assertThat(run.status().orElseThrow().done()).isEqualTo(2);
    }
}
