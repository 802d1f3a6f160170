package dev.dibs.contract.runs;

import static org.awaitility.Awaitility.await;

import dev.dibs.Dibs;
import dev.dibs.contract.support.Fixture;
import dev.dibs.contract.support.Jobs;
import dev.dibs.database.FaultyDataSource;
import dev.dibs.database.FullTest;
import dev.dibs.runs.Run;
import dev.dibs.runs.RunStatus;
import java.time.Duration;
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
