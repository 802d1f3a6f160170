package dev.dibs.contract.runs;

import dev.dibs.Dibs;
import dev.dibs.claims.ClaimsBuilder;
import dev.dibs.claims.RowClaims;
import dev.dibs.claims.RowKey;
import dev.dibs.contract.support.ContractFixture;
import dev.dibs.contract.support.JobTable;
import dev.dibs.contract.support.Jobs;
import dev.dibs.contract.support.SideJobs;
import dev.dibs.database.FaultyDataSource;
import dev.dibs.database.Sql;
import dev.dibs.runs.Run;
import dev.dibs.runs.RunState;
import dev.dibs.runs.RunStatus;
import dev.dibs.runs.RunWorkers;
import dev.dibs.runs.RunWorkers.End;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** A run has not ended while a row is open, dead rows that are to be tried again included. */
class RunEndContract extends ContractFixture {
    private static final long BAD = 2;

    /** Row 2 is dead afterwards, the others are done. */
    private static void workWithOneDeadRow(Run run, RowClaims<RowKey> claims) throws InterruptedException {
        assertEnds(End.INCOMPLETE, run.over(claims).maxAttempts(1).work(key -> failIf(key.asLong() == BAD)));
    }

    /** Another process, whose worker has freed the dead row and works on it until it may go on. */
    private static final class Elsewhere implements AutoCloseable {
        final CountDownLatch goOn = new CountDownLatch(1);
        final RunWorkers<?> workers;

        Elsewhere(Dibs dibs, String run, Jobs jobs) throws InterruptedException {
            CountDownLatch begun = new CountDownLatch(1);
            workers = dibs.run(run)
                    .over(jobs.claims(dibs).build())
                    .work(key -> {
                        begun.countDown();
                        goOn.await();
                    })
                    .start();
            assertThat(begun.await(1, TimeUnit.MINUTES)).isTrue();
        }

        @Override
        public void close() {
            goOn.countDown();
            workers.close();
        }
    }

    @Test
    void rowsThatAreToBeTriedAgainAreNotFinished() throws Exception {
        Jobs jobs = jobs(3);
        Run run = here().run(fresh("again"));
        workWithOneDeadRow(run, jobs.claims(here()).build());
        assertThat(run.retryDead()).isEqualTo(1);
        assertRefused(() -> over(run, jobs).ensureFinished(), "1 wait for another attempt, 0 are dead");
        assertThat(run.isFinished(jobs.table(), "done_at IS NULL AND request_token IS NULL"))
                .isFalse();
        RunStatus status = run.status().orElseThrow();
        assertThat(status.finishedAt()).isEmpty();
        assertThat(status.isFinished()).isFalse();
    }

    /** All workers of another run take over the same dead rows at once. */
    @Test
    void aRunThatTakesOverDeadRowsLosesNoWorker() throws Exception {
        int rows = inFullRun(300, 60);
        Jobs jobs = jobs(rows);
        Dibs dibs = dibs(pool());
        assertEnds(
                End.INCOMPLETE,
                dibs.run(fresh("gives-up"))
                        .over(jobs.claims(dibs).build())
                        .batch(50)
                        .maxAttempts(1)
                        .work(key -> failIf(true)));
        Run run = dibs.run(fresh("takes-over"));
        RunWorkers<?> second = assertEnds(
                End.INCOMPLETE, run.over(jobs.claims(dibs).build()).threads(8).work(key -> {}));
        assertThat(second.failure()).isEmpty();
        assertThat(run.dead(rows + 1)).hasSize(rows);
        assertThat(run.errors(9)).isEmpty();
    }

    /** The dead row is marked for a retry before the check looks for open rows, and is open right after. */
    @Test
    void ensureFinishedSeesARowThatIsFreedMeanwhile() throws Exception {
        Jobs jobs = jobs(3);
        String name = fresh("freed");
        workWithOneDeadRow(here().run(name), jobs.claims(here()).build());
        var claims = jobs.claims(overFaulty()).build();
        AtomicReference<Elsewhere> elsewhere = new AtomicReference<>();
        moveAround(faulty(), here(), name, jobs, elsewhere);
        try {
            assertRefused(() -> overFaulty().run(name).over(claims).ensureFinished());
        } finally {
            elsewhere.get().close();
        }
        assertThat(faulty().struck()).hasSize(2);
    }

    @Test
    void aWorkerDoesNotFinishWhileARowIsFreedMeanwhile() throws Exception {
        Jobs jobs = jobs(3);
        Dibs dibs = dibs();
        String name = fresh("race");
        workWithOneDeadRow(dibs.run(name), jobs.claims(dibs).build());
        // A start after the end would look for open rows, too.
        jobs.run("UPDATE dibs_run SET finished_at = NULL WHERE name = '" + name + "'");
        RunWorkers<?> workers = overFaulty()
                .run(name)
                .over(jobs.claims(overFaulty()).build())
                .executor(Runnable::run)
                .work(key -> {});
        AtomicReference<Elsewhere> elsewhere = new AtomicReference<>();
        AtomicReference<RunStatus> then = new AtomicReference<>();
        moveAround(faulty(), dibs, name, jobs, elsewhere);
        // When it looks again, it has decided about the first look.
        faulty().on(sql -> elsewhere.get() != null && sql.contains("is_left"))
                .here()
                .actBefore(() -> {
                    then.set(dibs.run(name).status().orElseThrow());
                    elsewhere.get().goOn.countDown();
                });
        workers.start();
        elsewhere.get().close();
        assertThat(then.get()).as("the state while the row was being done").isNotNull();
        assertThat(then.get().state()).isEqualTo(RunState.RUNNING);
        assertThat(workers.await()).isEqualTo(End.FINISHED);
        assertThat(jobs.done()).hasSize(3);
    }

    private static void moveAround(
            FaultyDataSource source, Dibs dibs, String name, Jobs jobs, AtomicReference<Elsewhere> elsewhere) {
        CountDownLatch looked = new CountDownLatch(1);
        source.on(sql -> looked.getCount() > 0 && sql.contains("is_left"))
                .here()
                .actBefore(() -> {
                    looked.countDown();
                    return dibs.run(name).retryDead();
                });
        source.on(sql -> looked.getCount() == 0 && !sql.contains("is_left"))
                .here()
                .actBefore(() -> elsewhere.set(new Elsewhere(dibs, name, jobs)));
    }

    /** The end of a run and the number of its dead rows belong together. */
    @Test
    void theStatusIsOfOneMoment() throws Exception {
        Jobs jobs = jobs(3);
        Dibs dibs = dibs();
        String name = fresh("moment");
        workWithOneDeadRow(dibs.run(name), jobs.claims(dibs).build());
        assertThat(overFaulty().run(name).status().orElseThrow().state()).isEqualTo(RunState.INCOMPLETE);
        AtomicReference<Elsewhere> elsewhere = new AtomicReference<>();
        faulty().on(sql -> sql.contains("dibs_run")).here().time(2).actBefore(() -> {
            dibs.run(name).retryDead();
            elsewhere.set(new Elsewhere(dibs, name, jobs));
        });
        try {
            assertThat(overFaulty().run(name).status().orElseThrow().isFinished())
                    .isFalse();
        } finally {
            elsewhere.get().close();
        }
        assertThat(faulty().struck()).hasSize(1);
    }

    @Test
    void retryWithoutDeadRowsLeavesTheRunFinished() throws Exception {
        Jobs jobs = jobs(2);
        Run run = here().run(fresh("fine"));
        assertEnds(End.FINISHED, over(run, jobs).work(key -> {}));
        assertThat(run.retryDead()).isZero();
        assertThat(run.status().orElseThrow().isFinished()).isTrue();
    }

    /** Rows that were dead before are neither in the total nor among the rows that are left. */
    @Test
    void aSecondStartTellsTheDeadRowsOfBefore() throws Exception {
        Jobs jobs = jobs(4);
        Run run = here().run(fresh("before"));
        workWithOneDeadRow(run, jobs.claims(here()).build());
        assertThat(run.status().orElseThrow().deadBefore()).isZero();
        for (long id = 11; id <= 15; id++) {
            jobs.add(id);
        }
        assertEnds(End.INCOMPLETE, over(run, jobs).maxAttempts(1).work(key -> {
            RunContract.awaitTotal(run);
            failIf(key.asLong() == 12);
        }));
        RunStatus status = run.status().orElseThrow();
        assertThat(status.total()).hasValue(5);
        assertThat(status.done()).isEqualTo(4);
        assertThat(status.dead()).isEqualTo(2);
        assertThat(status.deadBefore()).isEqualTo(1);
        assertThat(status.left()).hasValue(0);
        jobs.run("UPDATE dibs_run SET total = 9, finished_at = NULL WHERE name = '" + run.name() + "'");
        assertThat(run.status().orElseThrow().left()).hasValue(4);
    }

    @Test
    void aRowThatAnotherRunGaveUpIsDeadForTheNextRun() throws Exception {
        Jobs jobs = jobs(3);
        SideJobs sideJobs = closing(new SideJobs(pool(), 3));
        deadByAnotherRun(here(), jobs, jobs.claims(here()));
        deadByAnotherRun(here(), sideJobs, sideJobs.claims(here()));
    }

    @Test
    void aRowOfARangeThatAnotherRunGaveUpIsDeadForTheNextRun() throws Exception {
        Jobs jobs = jobs(3);
        deadByAnotherRun(here(), jobs, jobs.ranges(here()));
    }

    private void deadByAnotherRun(Dibs dibs, JobTable jobs, ClaimsBuilder builder) throws Exception {
        RowClaims<RowKey> claims = builder.build();
        workWithOneDeadRow(dibs.run(fresh("first")), claims);
        Run next = dibs.run(fresh("next"));
        assertEnds(End.INCOMPLETE, next.over(claims).work(key -> {}));
        RunStatus status = next.status().orElseThrow();
        assertThat(status.state()).isEqualTo(RunState.INCOMPLETE);
        assertThat(status.dead()).isEqualTo(1);
        assertThat(next.dead(10)).singleElement().satisfies(row -> {
            assertThat(row.key()).isEqualTo(String.valueOf(BAD));
            assertThat(row.message()).contains("another name");
        });
        assertThatThrownBy(() -> next.over(claims).ensureFinished()).hasMessageContaining("1 are dead");

        assertThat(next.retryDead()).isEqualTo(1);
        List<Long> tried = new CopyOnWriteArrayList<>();
        assertEnds(End.FINISHED, next.over(claims).work(key -> tried.add(key.asLong())));
        assertThat(tried).as("the dead row of %s", jobs.table()).containsExactly(BAD);
        next.over(claims).ensureFinished();
    }

    /** No worker of the next run has looked since. */
    @Test
    void ensureFinishedSeesARowThatAnotherRunGaveUpLater() throws Exception {
        Jobs jobs = jobs(0);
        RowClaims<RowKey> claims = jobs.claims(here()).build();
        Run next = here().run(fresh("next"));
        assertEnds(End.FINISHED, next.over(claims).work(key -> {}));
        jobs.add(1);
        jobs.add(BAD);
        workWithOneDeadRow(here().run(fresh("other")), claims);
        assertRefused(
                () -> next.over(claims).ensureFinished(), "1 more rows are dead that a run of another name gave up");
    }

    @Test
    void aRowWithALongKeyFailsAloneAndIsTriedAgain() throws Exception {
        String table =
                table("id varchar(600) NOT NULL PRIMARY KEY, done_at bigint, token varchar(32), claimed_until bigint");
        String key = "k".repeat(500);
        for (String id : List.of("a", key + "1", key + "2", "z")) {
            Sql.on(pool()).change("INSERT INTO " + table + " (id) VALUES (?)", id);
        }
        RowClaims<RowKey> claims = here().claims(table)
                .key("id")
                .token("token")
                .until("claimed_until")
                .where("done_at IS NULL")
                .completeSet("done_at = 1")
                .build();
        Run run = here().run(fresh("long"));
        assertEnds(
                End.INCOMPLETE,
                run.over(claims)
                        .maxAttempts(1)
                        .work(row -> failIf(row.toString().length() > 1)));
        assertThat(run.status().orElseThrow().done()).isEqualTo(2);
        assertThat(run.dead(10)).hasSize(2).allMatch(row -> row.key().startsWith("kkk"));

        assertThat(run.retryDead()).isEqualTo(2);
        assertEnds(End.FINISHED, run.over(claims).work(row -> {}));
        run.over(claims).ensureFinished();
        assertThat(Sql.on(pool()).number("SELECT count(*) FROM " + table + " WHERE done_at = 1"))
                .isEqualTo(4);
    }
}
