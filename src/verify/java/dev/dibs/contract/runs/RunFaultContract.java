package dev.dibs.contract.runs;

import dev.dibs.Dibs;
import dev.dibs.contract.support.Fixture;
import dev.dibs.contract.support.Jobs;
import dev.dibs.contract.support.Warnings;
import dev.dibs.database.FaultyDataSource;
import dev.dibs.database.FullTest;
import dev.dibs.process.ChildJvm;
import dev.dibs.process.Shell;
import dev.dibs.runs.DeadLetter;
import dev.dibs.runs.Run;
import dev.dibs.runs.RunStatus;
import dev.dibs.runs.RunWorkers;
import dev.dibs.runs.RunWorkers.End;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Runs whose workers vanish, pause, lose rows, or get no answer. */
@Tag("fault")
class RunFaultContract extends Fixture {
    /** For the start of a process, and what it does. */
    private static final Duration PATIENCE = Duration.ofMinutes(5);

    @FullTest
    void aRowThatEndsItsProcessEachTimeGoesDeadAndTakesNoOtherWithIt() throws Exception {
        String name = fresh("deadly");
        Jobs jobs = jobs(20);
        for (int kills = 1; kills <= 3; kills++) {
            try (ChildJvm runner = RunnerMain.start(database(), name, jobs, "halt3", LONG, 1, 10)) {
                assertThat(runner.exitCode(PATIENCE)).isEqualTo(1);
            }
            // As if their time had passed.
            jobs.run("UPDATE " + jobs.table()
                    + " SET claimed_until = 1 WHERE request_token IS NOT NULL AND request_token NOT LIKE 'dibs-%'");
        }
        try (ChildJvm runner = RunnerMain.start(database(), name, jobs, "halt3", LONG, 1, 10)) {
            runner.awaitLine("ENDED INCOMPLETE"::equals, PATIENCE);
        }
        assertThat(jobs.done()).hasSize(19).doesNotContain(3L);
        RunStatus status = here().run(name).status().orElseThrow();
        assertThat(here().run(name).dead(10)).extracting(DeadLetter::key).containsExactly("3");
        assertThat(status.retrying()).as("nothing is held against the others").isZero();
        assertThat(status.done()).isEqualTo(19);
        assertThat(here().run(name).errors(10))
                .singleElement()
                .satisfies(error -> assertThat(error.message()).contains("vanished"));
    }

    @FullTest
    void aWorkerThatIsStoppedTooLongCompletesNothingLate() throws Exception {
        assumeRowLocks();
        String name = fresh("stopped");
        Jobs jobs = jobs(2);
        ChildJvm runner = closing(RunnerMain.start(database(), name, jobs, "slow", LEASE, 1, 2));
        runner.awaitLine("BEGUN 1"::equals, PATIENCE);
        runner.pause();
        // As if the paused worker had been skipped for long enough: its own transaction still has the effect open.
        RunWorkers<?> others = over(here().run(name), jobs)
                .workInTransaction((key, connection) -> jobs.effect(connection, key.asLong()))
                .start();
        assertThat(others.await(PATIENCE)).isTrue();
        assertThat(jobs.done()).containsExactly(1L, 2L);
        runner.send(RunnerMain.GO);
        runner.resume();
        runner.awaitLine("ENDED FINISHED"::equals, PATIENCE);
        assertThat(jobs.effects()).containsExactly(1L, 1L);
        assertThat(here().run(name).status().orElseThrow().done()).isEqualTo(2);
        assertThat(here().run(name).status().orElseThrow().failed()).isZero();
    }

    @FullTest
    void processThatIsToldToEndFinishesItsRowAndReleasesTheRest() throws Exception {
        Jobs jobs = jobs(10);
        ChildJvm runner = closing(RunnerMain.start(database(), fresh("term"), jobs, "slow", LONG, 1, 10));
        runner.awaitLine("BEGUN 1"::equals, PATIENCE);
        Shell.signal("TERM", runner.pid());
        runner.exitCode(PATIENCE);
        assertThat(jobs.done()).containsExactly(1L);
        assertThat(jobs.claimed()).isZero();
    }

    @FullTest(except = "postgresql")
    void lostAnswersChangeNoCountAndStrandNothing() throws Exception {
        for (int time = 1; time <= 4; time++) {
            losingAnswers(time, false, sql -> sql.contains("done_at = 1") || sql.equals("COMMIT"));
            losingAnswers(time, true, "COMMIT"::equals);
        }
    }

    private void losingAnswers(int time, boolean joined, Predicate<String> when) throws Exception {
        FaultyDataSource faulty = new FaultyDataSource(pool());
        Dibs dibs = dibs(faulty);
        Jobs jobs = jobs(20);
        Run run = dibs.run(fresh("unanswered"));
        AtomicInteger worked = new AtomicInteger();
        var builder =
                run.over(jobs.claims(dibs).build()).batch(4).backoff(Duration.ofMillis(10), Duration.ofMillis(10));
        RunWorkers<?> workers = joined
                ? builder.workInTransaction((key, connection) -> {
                    worked.incrementAndGet();
                    jobs.effect(connection, key.asLong());
                })
                : builder.work(key -> worked.incrementAndGet());
        faulty.on(sql -> worked.get() > 0 && when.test(sql)).time(time).loseAnswer();
        assertThat(workers.start().await(LONG)).isTrue();
        assertThat(faulty.struck()).as("%s, the %s. time", joined, time).hasSize(1);
        assertThat(jobs.done()).hasSize(20);
        assertCounts(run, 20, 0);
        assertThat(worked).as("nothing was done again").hasValue(20);
        run.over(jobs.claims(dibs).build()).ensureFinished();
        if (joined) {
            assertThat(jobs.effects()).hasSize(20).allMatch(effects -> effects == 1);
        }
    }

    /** The record of the first row is there, its answer and the look for it are not. */
    @Test
    void aLostRecordIsNotThatOfTheNextRow() throws Exception {
        FaultyDataSource faulty = new FaultyDataSource(pool());
        Dibs dibs = dibs(faulty);
        Jobs jobs = jobs(2);
        Run run = dibs.run(fresh("lost-record"));
        AtomicInteger worked = new AtomicInteger();
        faulty.on(sql -> worked.get() > 0 && sql.equals("COMMIT")).time(1).loseAnswer();
        faulty.on(sql -> !faulty.struck().isEmpty() && sql.contains("run_worker SET seen_at"))
                .time(1)
                .fail("08006", 0);
        RunWorkers<?> workers = run.over(jobs.claims(dibs).build())
                .batch(2)
                .maxAttempts(1)
                .work(key -> {
                    worked.incrementAndGet();
                    throw new IllegalStateException("as the test wants it");
                });
        assertThat(workers.start().await(LONG)).isTrue();
        assertThat(faulty.struck()).hasSize(2);
        assertCounts(run, 0, 2);
        assertThat(run.dead(10)).hasSize(2);
        assertThat(worked).hasValue(2);
    }

    @Test
    void rolledBackWorkIsRepeatedWithoutAFailedTry() throws Exception {
        String name = fresh("deadlocked");
        Jobs jobs = jobs(5);
        AtomicInteger inserts = new AtomicInteger();
        faulty().on(sql -> sql.startsWith("INSERT INTO " + jobs.log()) && inserts.incrementAndGet() < 5)
                .always()
                .fail("40001", 0);
        overFaulty()
                .run(name)
                .over(jobs.claims(overFaulty()).build())
                .maxAttempts(1)
                .workInTransaction((key, connection) -> {
                    try {
                        jobs.effect(connection, key.asLong());
                    } catch (SQLException e) {
                        throw new IllegalStateException("wrapped, as frameworks do", e);
                    }
                })
                .start()
                .await(LONG);
        assertThat(faulty().struck()).hasSize(4);
        assertThat(jobs.effects()).containsExactly(1L, 1L, 1L, 1L, 1L);
        assertThat(overFaulty().run(name).status().orElseThrow().failed()).isZero();
    }

    @FullTest(except = "postgresql")
    void aRowThatWasLostBeforeTheDatabaseRolledBackHasNotFailed() throws Exception {
        String name = fresh("deadlocked-late");
        Jobs jobs = jobs(1);
        Dibs dibs =
                closing(builder(faulty()).leaseLength(Duration.ofMillis(2500)).build());
        faulty().on(sql -> Thread.currentThread().getName().equals("dibs-claims"))
                .always()
                .loseStatement();
        AtomicInteger worked = new AtomicInteger();
        dibs.run(name)
                .over(jobs.claims(dibs).build())
                .maxAttempts(1)
                .workInTransaction((key, connection) -> {
                    if (worked.incrementAndGet() == 1) {
                        // As a renewal does whose answer has not arrived when the worker's lease is over.
                        jobs.run("UPDATE " + jobs.table() + " SET claimed_until = claimed_until + 1000");
                        sleepThroughInterrupts(Duration.ofMillis(2600));
                        faulty().heal();
                        faulty().on(sql -> sql.startsWith("INSERT INTO " + jobs.log()))
                                .fail("40001", 0);
                    }
                    jobs.effect(connection, key.asLong());
                })
                .start()
                .await(LONG);
        assertThat(worked).hasValue(2);
        assertThat(jobs.effects()).containsExactly(1L);
        assertThat(dibs.run(name).dead(1)).isEmpty();
        assertThat(dibs.run(name).status().orElseThrow().failed()).isZero();
    }

    private static void sleepThroughInterrupts(Duration time) {
        long end = System.nanoTime() + time.toNanos();
        while (System.nanoTime() < end) {
            LockSupport.parkNanos(end - System.nanoTime());
            boolean unused = Thread.interrupted();
        }
    }

    @Test
    void anAnswerThatIsLostWhenTheWorkerEntersDoesNotKeepItOut() throws Exception {
        Jobs jobs = jobs(3);
        faulty().on(sql -> sql.contains("INSERT INTO dibs_run_worker")).loseAnswer();
        assertEnds(
                End.FINISHED,
                overFaulty()
                        .run(fresh("enter"))
                        .over(jobs.claims(overFaulty()).build())
                        .work(key -> {}));
        assertThat(jobs.done()).hasSize(3);
    }

    @Test
    void aStartThatFailsKeepsNobodyWaitingAndCanBeTriedAgain() throws Exception {
        Jobs jobs = jobs(3);
        var builder =
                overFaulty().run(fresh("unborn")).over(jobs.claims(overFaulty()).build());
        RunWorkers<?> again = builder.work(key -> {});
        RunWorkers<?> never = builder.work(key -> {});
        faulty().exhaust(Duration.ofMillis(10));
        assertFails(again::start);
        assertFails(never::start);
        faulty().heal();
        long begun = System.nanoTime();
        never.close();
        assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(LONG.dividedBy(2));
        assertThat(again.start().await(LONG)).isTrue();
        assertThat(jobs.done()).hasSize(3);
    }

    @FullTest(except = "postgresql")
    void someSecondsWithoutADatabaseDoNotEndAWorker() throws Exception {
        String name = fresh("outage");
        Jobs jobs = jobs(40);
        Dibs dibs = closing(builder(faulty()).leaseLength(LEASE).build());
        CountDownLatch some = new CountDownLatch(6);
        RunWorkers<?> workers = dibs.run(name)
                .over(jobs.claims(dibs).build())
                .batch(3)
                .threads(2)
                .work(key -> {
                    some.countDown();
                    Thread.sleep(5);
                })
                .start();
        assertThat(some.await(1, TimeUnit.MINUTES)).isTrue();
        try (Warnings warnings = new Warnings("'" + name + "' goes on")) {
            faulty().exhaust(Duration.ofMillis(10));
            Thread.sleep(2500);
            faulty().heal();
            assertThat(workers.await(LONG)).isTrue();
            assertThat(warnings.heard()).as("one a worker").hasSizeLessThanOrEqualTo(2);
        }
        assertThat(jobs.done()).hasSize(40);
        assertCounts(dibs.run(name), 40, 0);
    }

    @Test
    void workersRunOnVirtualThreads() throws Exception {
        ExecutorService executor = virtualThreads();
        Jobs jobs = jobs(50);
        assertEnds(End.FINISHED, runOver(jobs).threads(4).executor(executor).work(key -> {}));
        assertThat(jobs.done()).hasSize(50);
    }

    @Test
    void anExecutorThatIsShutDownEndsItsWorkers() throws Exception {
        String name = fresh("shut-down");
        ExecutorService executor = Executors.newCachedThreadPool();
        Jobs jobs = jobs(50);
        CountDownLatch begun = new CountDownLatch(1);
        RunWorkers<?> workers = over(here().run(name), jobs)
                .executor(executor)
                .work(key -> {
                    begun.countDown();
                    Thread.sleep(LONG.multipliedBy(10).toMillis());
                })
                .start();
        begun.await();
        List<Runnable> unused = executor.shutdownNow();
        assertThat(workers.await(LONG)).isTrue();
        assertThat(jobs.claimed()).isZero();
        assertThat(here().run(name).status().orElseThrow().failed()).isZero();
    }

    @Test
    void closingTheInstanceEndsItsWorkers() throws Exception {
        Jobs jobs = jobs(500);
        RunWorkers<?> workers;
        try (Dibs dibs = dibs()) {
            CountDownLatch begun = new CountDownLatch(1);
            workers = dibs.run(fresh("closed"))
                    .over(jobs.claims(dibs).build())
                    .threads(2)
                    // They do not end by themselves, not even if the rows are done before the close.
                    .pollEvery(LONG)
                    .work(key -> {
                        begun.countDown();
                        Thread.sleep(5);
                    })
                    .start();
            begun.await();
        }
        assertThat(workers.await(LONG)).isTrue();
        assertThat(workers.await()).isEqualTo(End.CLOSED);
        assertThat(jobs.claimed()).isZero();
    }
}
