package dev.dibs.contract.runs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.dibs.Dibs;
import dev.dibs.claims.ClaimsBuilder;
import dev.dibs.claims.RowClaims;
import dev.dibs.claims.RowKey;
import dev.dibs.contract.support.Fixture;
import dev.dibs.contract.support.Jobs;
import dev.dibs.database.FaultyDataSource;
import dev.dibs.database.FullRun;
import dev.dibs.database.Sql;
import dev.dibs.runs.RunStatus;
import dev.dibs.runs.RunWorkers;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Rows that a worker loses, finds abandoned, releases, or that are locked. */
@Tag("contract")
class RunLossContract extends Fixture {

    static final Duration PATIENT = Duration.ofMinutes(1);

    @Test
    void aRowThatIsTakenAwayInterruptsItsWorkerAndIsNoFailure() throws Exception {
        String name = fresh("taken");
        try (Jobs jobs = new Jobs(pool(), 3);
                Dibs dibs = builder(pool()).leaseLength(LEASE).build()) {
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
    }

    /** An interrupt would close the file of an embedded H2, and hide the outcome of the commit. */
    @Test
    void closingWorkersInterruptsNoStatementOfDibs() throws Exception {
        FaultyDataSource source = new FaultyDataSource(pool());
        try (Jobs jobs = new Jobs(pool(), 1);
                Dibs dibs = builder(source).build()) {
            AtomicReference<Thread> worker = new AtomicReference<>();
            AtomicReference<RunWorkers<?>> workers = new AtomicReference<>();
            AtomicBoolean interrupted = new AtomicBoolean();
            source.on(sql -> sql.equals("COMMIT") && worker.get() == Thread.currentThread())
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
                        return null;
                    });
            workers.set(
                    dibs.run(fresh("closed")).over(jobs.claims(dibs).build()).workInTransaction((key, connection) -> {
                        jobs.effect(connection, key.asLong());
                        worker.set(Thread.currentThread());
                    }));
            workers.get().start();
            assertThat(workers.get().await(PATIENT)).isTrue();
            assertThat(source.struck()).containsExactly("COMMIT");
            assertThat(interrupted).isFalse();
            assertThat(jobs.done()).hasSize(1);
        }
    }

    /** Before a renewal has noticed: only the token in the statement shows it. */
    @Test
    @FullRun(except = "postgresql")
    void aRowOfAnotherHolderIsNotCompleted() throws Exception {
        // Nobody can rob it while a transaction keeps all others from writing.
        for (boolean joined : database().locksRows() ? new boolean[] {false, true} : new boolean[] {false}) {
            String name = fresh("robbed");
            try (Jobs jobs = new Jobs(pool(), 1);
                    Dibs dibs = dibs()) {
                AtomicInteger worked = new AtomicInteger();
                var builder = dibs.run(name).over(jobs.claims(dibs).build());
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
                RunStatus status = dibs.run(name).status().orElseThrow();
                assertThat(status.done()).isEqualTo(1);
                assertThat(status.failed()).isZero();
            }
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
        try (Jobs jobs = new Jobs(pool(), 3);
                Dibs dibs = dibs()) {
            jobs.run("UPDATE " + jobs.table() + " SET request_token = 'somebody', claimed_until = 5 WHERE id < 3");
            AtomicInteger failures = new AtomicInteger();
            RunWorkers<?> workers = dibs.run(name)
                    .over(jobs.claims(dibs).build())
                    .backoff(Duration.ofMillis(10), Duration.ofMillis(10))
                    .work(key -> {
                        if (key.asLong() == 2 && failures.getAndIncrement() == 0) {
                            throw new IllegalStateException("once");
                        }
                    })
                    .start();
            assertThat(workers.await(PATIENT)).isTrue();
            assertThat(jobs.done()).hasSize(3);
            assertThat(dibs.run(name).errors(9))
                    .singleElement()
                    .satisfies(error -> assertThat(error.attempt()).isEqualTo(1));
            dibs.run(name).over(jobs.claims(dibs).build()).ensureFinished();
        }
    }

    @Test
    void rowThatIsRetryingSurvivesItsRelease() throws Exception {
        String name = fresh("given-back");
        try (Jobs jobs = new Jobs(pool(), 3);
                Dibs dibs = dibs()) {
            ClaimsBuilder claims = jobs.claims(dibs);
            Queue<Long> worked = new ConcurrentLinkedQueue<>();
            CountDownLatch second = new CountDownLatch(1);
            CompletableFuture<Thread> closer = new CompletableFuture<>();
            RunWorkers<?> first = dibs.run(name)
                    .over(claims.build())
                    .backoff(Duration.ofMillis(1), Duration.ofMillis(1))
                    .work(key -> {
                        worked.add(key.asLong());
                        if (worked.size() <= 3) {
                            throw new IllegalStateException("at first");
                        }
                        second.countDown();
                        RunContract.awaitWaiting(closer.get());
                    })
                    .start();
            second.await();
            RunContract.close(first, closer);
            assertThat(jobs.done()).hasSizeLessThan(3);
            RunWorkers<?> next = dibs.run(name)
                    .over(claims.build())
                    .pollEvery(Duration.ofMillis(50))
                    .work(key -> {})
                    .start();
            await().until(() -> jobs.done().size() == 3);
            next.close();
            assertThat(dibs.run(name).status().orElseThrow().retrying()).isZero();
        }
    }

    @Test
    void aLockedRowDelaysNoOtherRow() throws Exception {
        assumeRowLocks();
        try (Jobs jobs = new Jobs(pool(), 6);
                Dibs dibs = dibs()) {
            RunWorkers<?> workers = dibs.run(fresh("locked"))
                    .over(jobs.claims(dibs).build())
                    .batch(3)
                    .work(key -> {});
            try (var connection = pool().getConnection()) {
                connection.setAutoCommit(false);
                Sql.on(connection).run("UPDATE " + jobs.table() + " SET what = 'locked' WHERE id = 2");
                workers.start();
                await().until(() -> jobs.done().size() == 5);
                connection.commit();
                connection.setAutoCommit(true);
            }
            assertThat(workers.await(PATIENT)).isTrue();
            assertThat(jobs.done()).hasSize(6);
        }
    }

    @Test
    void aDeadRowThatIsLockedStaysDeadUntilItCanBeTriedAgain() throws Exception {
        assumeRowLocks();
        String name = fresh("dead-locked");
        try (Jobs jobs = new Jobs(pool(), 2);
                Dibs dibs = dibs()) {
            AtomicBoolean healed = new AtomicBoolean();
            RunWorkers<?> workers = dibs.run(name)
                    .over(jobs.claims(dibs).build())
                    .maxAttempts(1)
                    .pollEvery(Duration.ofMillis(50))
                    .work(key -> {
                        if (!healed.get()) {
                            throw new IllegalStateException("ill");
                        }
                    })
                    .start();
            await().until(() -> dibs.run(name).dead(9).size() == 2);
            healed.set(true);
            try (var connection = pool().getConnection()) {
                connection.setAutoCommit(false);
                Sql.on(connection).run("UPDATE " + jobs.table() + " SET what = 'locked' WHERE id = 1");
                assertThat(dibs.run(name).retryDead()).isEqualTo(2);
                await().until(() -> !jobs.done().isEmpty());
                Thread.sleep(200);
                connection.commit();
                connection.setAutoCommit(true);
            }
            await().until(() -> jobs.done().size() == 2);
            workers.close();
            assertThat(dibs.run(name).dead(9)).isEmpty();
        }
    }
}
