package dev.dibs.contract.runs;

import static org.awaitility.Awaitility.await;

import dev.dibs.Dibs;
import dev.dibs.contract.support.Fixture;
import dev.dibs.contract.support.Jobs;
import dev.dibs.database.FaultyDataSource;
import dev.dibs.database.FullTest;
import dev.dibs.database.Sql;
import dev.dibs.runs.Run;
import dev.dibs.runs.RunStatus;
import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Tag;

/**
 * Wakes while statements and answers of the workers are lost: each row takes effect once. A row that was claimed by a lost answer is released
 * in the background, and is found at the next poll.
 */
@Tag("fault")
class RunWakeFaultContract extends Fixture {

    private static final int ROWS = 12;

    /** The statement, its answer, or the connection before it. */
    private static final int FAULTS = 3;

    /** As by a transaction whose process is gone. The report of all idle workers must not keep the rows of the others locked meanwhile. */
    @FullTest
    void aLockedRowOfAWorkerHoldsUpNoOther() throws Exception {
        assumeRowLocks();
        Dibs dibs = dibs();
        Jobs jobs = jobs(0);
        Run run = dibs.run(fresh("locked"));
        // The executor has no thread for the third worker: its row is made here.
        ExecutorService executor = Executors.newFixedThreadPool(2);
        closing(executor::shutdown);
        closing(run.over(jobs.claims(dibs).build())
                .threads(3)
                .executor(executor)
                .batch(1)
                .pollEvery(Duration.ofMillis(20))
                .work(key -> {})
                .start());
        RunWakeContract.awaitWorkers(run, 2);
        String one = sql().rows(
                        row -> row.getString("worker"), "SELECT worker FROM dibs_run_worker WHERE run = ?", run.name())
                .get(0);
        String third = one.substring(0, one.length() - 4) + "0003";
        sql().change(
                        "INSERT INTO dibs_run_worker (run, worker, label, started_at, seen_at, done, failed, rate)"
                                + " SELECT run, ?, label, started_at, seen_at, 0, 0, 0 FROM dibs_run_worker"
                                + " WHERE run = ? AND worker = ?",
                        third,
                        run.name(),
                        one);
        try (Connection other = pool().getConnection()) {
            other.setAutoCommit(false);
            String lock = "UPDATE dibs_run_worker SET seen_at = seen_at WHERE run = ? AND worker = ?";
            Sql.on(other).change(lock, run.name(), third);
            Instant end = Instant.now().plusSeconds(15);
            for (int row = 1; Instant.now().isBefore(end); row++) {
                jobs.add(row);
                int done = row;
                await().atMost(Duration.ofSeconds(20)).until(() -> jobs.done().size() == done);
                Thread.sleep(50);
            }
            other.rollback();
        }
    }

    @FullTest
    void noRowIsLostThatAWakeHasAnnounced() throws Exception {
        FaultyDataSource source = new FaultyDataSource(pool());
        Dibs dibs = dibs(source);
        Jobs jobs = jobs(0);
        Run run = dibs.run(fresh("announced"));
        closing(run.over(jobs.claims(dibs).build())
                .threads(3)
                .pollEvery(Duration.ofSeconds(2))
                .workInTransaction((key, connection) -> jobs.effect(connection, key.asLong()))
                .start());
        RunWakeContract.awaitWorkers(run, 3);
        for (int row = 1; row <= ROWS; row++) {
            AtomicBoolean armed = new AtomicBoolean(true);
            FaultyDataSource.Fault fault = source.on(sql -> RunWakeContract.isNext(armed));
            switch (row % FAULTS) {
                case 0 -> fault.loseStatement();
                case 1 -> fault.loseAnswer();
                default -> fault.fail("40001", 0);
            }
            jobs.add(row);
            run.wake();
            int done = row;
            await().atMost(SOON).until(() -> jobs.done().size() == done);
        }
        assertThat(source.struck()).hasSize(ROWS);
        assertThat(jobs.effects()).hasSize(ROWS).allMatch(effects -> effects == 1);
        RunStatus status = run.status().orElseThrow();
        assertThat(status.done()).isEqualTo(ROWS);
        assertThat(status.failed()).isZero();
    }
}
