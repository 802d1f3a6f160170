package dev.dibs.contract.runs;

import dev.dibs.Dibs;
import dev.dibs.contract.support.ContractFixture;
import dev.dibs.contract.support.Jobs;
import dev.dibs.contract.support.SideJobs;
import dev.dibs.contract.support.Warnings;
import dev.dibs.database.FullTest;
import dev.dibs.runs.Run;
import dev.dibs.runs.RunState;
import dev.dibs.runs.RunStatus;
import dev.dibs.runs.RunWorkers;
import dev.dibs.runs.RunWorkers.End;
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
        assertEnds(
                End.FINISHED,
                over(run, jobs)
                        .threads(2)
                        .batch(5)
                        .backoff(Duration.ofMillis(5), Duration.ofMillis(5))
                        .work(key -> failIf(key.asLong() == 3 && failures.getAndIncrement() == 0)));
        assertThat(work(run, here(), jobs)).isEqualTo(End.FINISHED);
        assertThat(run.status().orElseThrow().done())
                .as("a start that finds nothing keeps the numbers")
                .isEqualTo(6);

        for (long id = 101; id <= 110; id++) {
            jobs.add(id);
        }
        CountDownLatch some = new CountDownLatch(10);
        CountDownLatch goOn = new CountDownLatch(1);
        RunWorkers<?> second = over(run, jobs)
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
        assertThat(second.await()).isEqualTo(End.FINISHED);
        assertThat(run.status().orElseThrow().done()).isEqualTo(10);
    }

    /** A worker that has not ended goes on counting: its counts from before do not belong to the new pass. */
    @Test
    void countsOfTheLastPassAreSubtracted() throws Exception {
        Jobs jobs = jobs(4);
        String name = fresh("straggler");
        Run run = here().run(name);
        assertThat(work(run, here(), jobs)).isEqualTo(End.FINISHED);
        jobs.run("UPDATE dibs_run_worker SET left_at = NULL, failed = 7 WHERE run = '" + name + "'");
        jobs.add(101);
        assertEnds(End.FINISHED, over(run, jobs).work(key -> RunContract.awaitTotal(run)));
        assertCounts(run, 1, 0);
        assertThat(run.status().orElseThrow().total()).hasValue(1);
    }

    @Test
    void concurrentStartsBeginOnePass() throws Exception {
        Jobs jobs = jobs(5);
        Run run = here().run(fresh("together"));
        assertThat(work(run, here(), jobs)).isEqualTo(End.FINISHED);
        for (long id = 101; id <= 112; id++) {
            jobs.add(id);
        }
        var claims = jobs.claims(here()).build();
        List<RunWorkers.End> ends = new CopyOnWriteArrayList<>();
        inThreads(4, number -> ends.add(run.over(claims).work(key -> {}).start().await()));
        assertThat(ends).hasSize(4).containsOnly(End.FINISHED);
        assertThat(run.status().orElseThrow().done()).isEqualTo(12);
        assertThat(jobs.done()).hasSize(17);
    }

    /** Both have seen that it had ended; the other one finishes before this one begins. */
    @Test
    void aLateStartBeginsNoPass() throws Exception {
        Jobs jobs = jobs(2);
        String name = fresh("late");
        assertThat(work(here().run(name), here(), jobs)).isEqualTo(End.FINISHED);
        jobs.add(101);
        Run late = overFaulty().run(name);
        faulty().on(sql -> sql.contains("next_at = 0") && sql.contains("finished_at"))
                .time(1)
                .actBefore(() -> work(here().run(name), here(), jobs));
        assertThat(work(late, overFaulty(), jobs)).isEqualTo(End.FINISHED);
        assertThat(faulty().struck()).hasSize(1);
        assertThat(here().run(name).status().orElseThrow().done()).isEqualTo(1);
    }

    @Test
    void theGateLooksAtTheTable() throws Exception {
        Jobs jobs = jobs(3);
        Run run = here().run(fresh("gate"));
        var claims = jobs.claims(here()).build();
        assertThatThrownBy(() -> run.isFinished(jobs.table(), "done_at IS NULL"))
                .hasMessageContaining("there is no run");
        assertThat(work(run, here(), jobs)).isEqualTo(End.FINISHED);
        run.over(claims).ensureFinished();
        assertThat(run.isFinished(jobs.table(), "done_at IS NULL")).isTrue();
        jobs.add(101);
        assertRefused(() -> run.over(claims).ensureFinished(), "rows are left in the table");
        assertThat(run.isFinished(jobs.table(), "done_at IS NULL")).isFalse();
        assertRejected(() -> run.isFinished(jobs.table() + "; DROP TABLE x", "1 = 1"));
    }

    @FullTest(except = "postgresql")
    void aResetForgetsAllAndTriesDeadRowsAgain() throws Exception {
        Jobs jobs = jobs(5);
        Run run = here().run(fresh("reset"));
        assertThatThrownBy(run::reset).hasMessageContaining("there is no run");
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        RunWorkers<?> workers = over(run, jobs)
                .batch(3)
                .maxAttempts(1)
                .work(key -> {
                    begun.countDown();
                    goOn.await();
                    failIf(key.asLong() == 2);
                })
                .start();
        begun.await();
        assertThatThrownBy(run::reset).hasMessageContaining("workers of it are alive: 1");
        goOn.countDown();
        assertThat(workers.await()).isEqualTo(End.INCOMPLETE);
        assertThat(run.status().orElseThrow().state()).isEqualTo(RunState.INCOMPLETE);

        run.reset();
        assertThat(run.status()).isEmpty();
        AtomicInteger again = new AtomicInteger();
        assertEnds(End.FINISHED, over(run, jobs).batch(4).work(key -> again.incrementAndGet()));
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
        assertEnds(End.FINISHED, over(run, jobs).batch(5).rate(1000).work(key -> {}));
        assertThat(work(run, here(), jobs)).isEqualTo(End.FINISHED);
        assertThat(warnings.heard()).as("without options nothing is overruled").isEmpty();
        assertEnds(End.FINISHED, over(run, jobs).batch(10).rate(1000).work(key -> {}));
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
        assertEnds(
                End.INCOMPLETE,
                over(run, jobs)
                        .backoff(Duration.ofMillis(5), Duration.ofMillis(5))
                        .maxAttempts(2)
                        .work(key ->
                                failIf(key.asLong() == 1 || (key.asLong() == 2 && failures.getAndIncrement() == 0))));
        assertThat(work(run, here(), jobs)).isEqualTo(End.INCOMPLETE);
        assertThat(run.status().orElseThrow().workers()).hasSize(2);
        assertThat(run.errors(9)).hasSize(3);

        long old = Duration.ofDays(31).toMillis();
        jobs.run("UPDATE dibs_run_worker SET seen_at = seen_at - " + old + " WHERE run = '" + name + "'");
        jobs.run("UPDATE dibs_run_error SET failed_at = failed_at - " + old + " WHERE run = '" + name + "'");
        assertThat(work(run, here(), jobs)).isEqualTo(End.INCOMPLETE);
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
