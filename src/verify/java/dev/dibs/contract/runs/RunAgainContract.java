package dev.dibs.contract.runs;

import dev.dibs.Dibs;
import dev.dibs.DibsException;
import dev.dibs.contract.support.ContractFixture;
import dev.dibs.contract.support.Jobs;
import dev.dibs.contract.support.SideJobs;
import dev.dibs.contract.support.Warnings;
import dev.dibs.database.FaultyDataSource;
import dev.dibs.database.FullTest;
import dev.dibs.runs.Run;
import dev.dibs.runs.RunState;
import dev.dibs.runs.RunStatus;
import dev.dibs.runs.RunWorkers;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Level;
import org.junit.jupiter.api.Test;

/** A run whose name is used again: it counts anew, the check for a deployment looks at the table, and old entries are deleted. */
class RunAgainContract extends ContractFixture {

    private static RunWorkers.End work(Run run, Dibs dibs, Jobs jobs) throws InterruptedException {
        return run.over(jobs.claims(dibs).build()).work(key -> {}).start().await();
    }

    @FullTest(except = "postgresql")
    void aNewStartAfterTheEndRestartsTheCount() throws Exception {
        Jobs jobs = jobs(6);
        Run run = here().run(fresh("nightly"));
        AtomicInteger failures = new AtomicInteger();
        RunWorkers<?> first = run.over(jobs.claims(here()).build())
                .threads(2)
                .batch(5)
                .backoff(Duration.ofMillis(5), Duration.ofMillis(5))
                .work(key -> {
                    if (key.asLong() == 3 && failures.getAndIncrement() == 0) {
                        throw new IllegalStateException("once");
                    }
                })
                .start();
        assertThat(first.await()).isEqualTo(RunWorkers.End.FINISHED);
        assertThat(work(run, here(), jobs)).isEqualTo(RunWorkers.End.FINISHED);
        assertThat(run.status().orElseThrow().done())
                .as("a start that finds nothing keeps the numbers")
                .isEqualTo(6);

        for (long id = 101; id <= 110; id++) {
            jobs.add(id);
        }
        CountDownLatch some = new CountDownLatch(10);
        CountDownLatch goOn = new CountDownLatch(1);
        RunWorkers<?> second = run.over(jobs.claims(here()).build())
                .work(key -> {
                    some.countDown();
                    if (some.getCount() == 0) {
                        goOn.await();
                    }
                })
                .start();
        some.await();
        RunContract.awaitTotal(run);
        RunStatus status = run.status().orElseThrow();
        assertThat(status.state()).isEqualTo(RunState.RUNNING);
        assertThat(status.total()).hasValue(10);
        assertThat(status.done()).isEqualTo(5);
        assertThat(status.left()).hasValue(5);
        assertThat(status.failed()).isZero();
        assertThat(status.workers()).as("those of the first pass are gone").hasSize(1);
        assertThat(run.errors(5)).isEmpty();
        goOn.countDown();
        assertThat(second.await()).isEqualTo(RunWorkers.End.FINISHED);
        assertThat(run.status().orElseThrow().done()).isEqualTo(10);
    }

    /** A worker that has not ended goes on counting: its counts from before do not belong to the new pass. */
    @Test
    void countsOfTheLastPassAreSubtracted() throws Exception {
        Jobs jobs = jobs(4);
        String name = fresh("straggler");
        Run run = here().run(name);
        assertThat(work(run, here(), jobs)).isEqualTo(RunWorkers.End.FINISHED);
        jobs.run("UPDATE dibs_run_worker SET left_at = NULL, failed = 7 WHERE run = '" + name + "'");
        jobs.add(101);
        RunWorkers<?> again = run.over(jobs.claims(here()).build()).work(key -> RunContract.awaitTotal(run));
        assertThat(again.start().await()).isEqualTo(RunWorkers.End.FINISHED);
        RunStatus status = run.status().orElseThrow();
        assertThat(status.done()).isEqualTo(1);
        assertThat(status.failed()).isZero();
        assertThat(status.total()).hasValue(1);
    }

    @Test
    void concurrentStartsBeginOnePass() throws Exception {
        Jobs jobs = jobs(5);
        Run run = here().run(fresh("together"));
        assertThat(work(run, here(), jobs)).isEqualTo(RunWorkers.End.FINISHED);
        for (long id = 101; id <= 112; id++) {
            jobs.add(id);
        }
        var claims = jobs.claims(here()).build();
        List<RunWorkers.End> ends = new CopyOnWriteArrayList<>();
        inThreads(4, number -> ends.add(run.over(claims).work(key -> {}).start().await()));
        assertThat(ends).hasSize(4).containsOnly(RunWorkers.End.FINISHED);
        assertThat(run.status().orElseThrow().done()).isEqualTo(12);
        assertThat(jobs.done()).hasSize(17);
    }

    /** Both have seen that it had ended; the other one finishes before this one begins. */
    @Test
    void aLateStartBeginsNoPass() throws Exception {
        FaultyDataSource late = new FaultyDataSource(pool());
        Jobs jobs = jobs(2);
        Dibs there = dibs(late);
        String name = fresh("late");
        assertThat(work(here().run(name), here(), jobs)).isEqualTo(RunWorkers.End.FINISHED);
        jobs.add(101);
        late.on(sql -> sql.contains("next_at = 0") && sql.contains("finished_at"))
                .time(1)
                .actBefore(() -> work(here().run(name), here(), jobs));
        assertThat(work(there.run(name), there, jobs)).isEqualTo(RunWorkers.End.FINISHED);
        assertThat(late.struck()).hasSize(1);
        assertThat(here().run(name).status().orElseThrow().done()).isEqualTo(1);
    }

    @Test
    void theGateLooksAtTheTable() throws Exception {
        Jobs jobs = jobs(3);
        Run run = here().run(fresh("gate"));
        var claims = jobs.claims(here()).build();
        assertThatThrownBy(() -> run.isFinished(jobs.table(), "done_at IS NULL"))
                .hasMessageContaining("there is no run");
        assertThat(work(run, here(), jobs)).isEqualTo(RunWorkers.End.FINISHED);
        run.over(claims).ensureFinished();
        assertThat(run.isFinished(jobs.table(), "done_at IS NULL")).isTrue();
        jobs.add(101);
        assertThatThrownBy(() -> run.over(claims).ensureFinished())
                .isExactlyInstanceOf(DibsException.class)
                .hasMessageContaining("rows are left in the table");
        assertThat(run.isFinished(jobs.table(), "done_at IS NULL")).isFalse();
        assertThatThrownBy(() -> run.isFinished(jobs.table() + "; DROP TABLE x", "1 = 1"))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @FullTest(except = "postgresql")
    void aResetForgetsAllAndTriesDeadRowsAgain() throws Exception {
        Jobs jobs = jobs(5);
        Run run = here().run(fresh("reset"));
        assertThatThrownBy(run::reset).hasMessageContaining("there is no run");
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        RunWorkers<?> workers = run.over(jobs.claims(here()).build())
                .batch(3)
                .maxAttempts(1)
                .work(key -> {
                    begun.countDown();
                    goOn.await();
                    if (key.asLong() == 2) {
                        throw new IllegalStateException("bad");
                    }
                })
                .start();
        begun.await();
        assertThatThrownBy(run::reset).hasMessageContaining("workers of it are alive: 1");
        goOn.countDown();
        assertThat(workers.await()).isEqualTo(RunWorkers.End.INCOMPLETE);
        assertThat(run.status().orElseThrow().state()).isEqualTo(RunState.INCOMPLETE);

        run.reset();
        assertThat(run.status()).isEmpty();
        AtomicInteger again = new AtomicInteger();
        assertThat(run.over(jobs.claims(here()).build())
                        .batch(4)
                        .work(key -> again.incrementAndGet())
                        .start()
                        .await())
                .isEqualTo(RunWorkers.End.FINISHED);
        assertThat(again).hasValue(1);
        RunStatus status = run.status().orElseThrow();
        assertThat(status.state()).isEqualTo(RunState.FINISHED);
        assertThat(status.batch()).as("what the builder says counts again").isEqualTo(4);
        assertThat(status.done()).isEqualTo(1);
        assertThat(run.errors(5)).isEmpty();
    }

    @FullTest(except = "postgresql")
    void settingsInTheDatabaseThatOverruleTheBuilderAreTold() throws Exception {
        String name = fresh("settings");
        Jobs jobs = jobs(1);
        Warnings warnings = closing(new Warnings(name, Level.INFO));
        Run run = here().run(name);
        assertThat(run.over(jobs.claims(here()).build())
                        .batch(5)
                        .rate(1000)
                        .work(key -> {})
                        .start()
                        .await())
                .isEqualTo(RunWorkers.End.FINISHED);
        assertThat(work(run, here(), jobs)).isEqualTo(RunWorkers.End.FINISHED);
        assertThat(warnings.heard()).as("without options nothing is overruled").isEmpty();
        assertThat(run.over(jobs.claims(here()).build())
                        .batch(10)
                        .rate(1000)
                        .work(key -> {})
                        .start()
                        .await())
                .isEqualTo(RunWorkers.End.FINISHED);
        assertThat(warnings.heard()).singleElement().asString().contains("batch is 5, not 10. ");
    }

    @Test
    void claimsBesidesATableThatExpiredLongAgoArePurged() throws Exception {
        SideJobs jobs = closing(new SideJobs(pool(), 5));
        var claims = jobs.claims(here()).build();
        var claim = closing(claims.claim(3));
        assertThat(claim.size()).isEqualTo(3);
        jobs.run("UPDATE dibs_claim SET held_until = 5 WHERE row_key <> '1' AND scope = '" + jobs.table() + "'");
        assertThat(jobs.claimed()).isEqualTo(3);
        assertThat(jobs.claims(here()).build().count()).isEqualTo(5);
        assertThat(jobs.claimed()).as("the one that is held stays").isEqualTo(1);
    }

    @FullTest(except = "postgresql")
    void oldEntriesArePurged() throws Exception {
        Jobs jobs = jobs(3);
        String name = fresh("purged");
        Run run = here().run(name);
        AtomicInteger failures = new AtomicInteger();
        RunWorkers<?> workers = run.over(jobs.claims(here()).build())
                .backoff(Duration.ofMillis(5), Duration.ofMillis(5))
                .maxAttempts(2)
                .work(key -> {
                    if (key.asLong() == 1 || (key.asLong() == 2 && failures.getAndIncrement() == 0)) {
                        throw new IllegalStateException("bad");
                    }
                })
                .start();
        assertThat(workers.await()).isEqualTo(RunWorkers.End.INCOMPLETE);
        assertThat(work(run, here(), jobs)).isEqualTo(RunWorkers.End.INCOMPLETE);
        assertThat(run.status().orElseThrow().workers()).hasSize(2);
        assertThat(run.errors(9)).hasSize(3);

        long old = Duration.ofDays(31).toMillis();
        jobs.run("UPDATE dibs_run_worker SET seen_at = seen_at - " + old + " WHERE run = '" + name + "'");
        jobs.run("UPDATE dibs_run_error SET failed_at = failed_at - " + old + " WHERE run = '" + name + "'");
        assertThat(work(run, here(), jobs)).isEqualTo(RunWorkers.End.INCOMPLETE);
        RunStatus status = run.status().orElseThrow();
        assertThat(status.workers()).hasSize(1);
        assertThat(status.done()).as("what they have done stays counted").isEqualTo(2);
        assertThat(status.failed()).isEqualTo(3);
        assertThat(run.errors(9))
                .as("those of the dead row stay")
                .hasSize(2)
                .allMatch(error -> error.key().equals("1"));
    }
}
