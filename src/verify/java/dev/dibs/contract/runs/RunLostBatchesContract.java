package dev.dibs.contract.runs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.dibs.Dibs;
import dev.dibs.DibsException;
import dev.dibs.contract.support.Fixture;
import dev.dibs.contract.support.Jobs;
import dev.dibs.contract.support.Warnings;
import dev.dibs.database.FullRun;
import dev.dibs.runs.Run;
import dev.dibs.runs.RunStatus;
import dev.dibs.runs.RunWorkers;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A run that loses every row of its batches again and again says so, and ends. */
@Tag("contract")
class RunLostBatchesContract extends Fixture {

    /** As another program does that writes to the columns of the claims. */
    private static void end(Jobs jobs, long id) throws Exception {
        jobs.run("UPDATE " + jobs.table() + " SET request_token = NULL, claimed_until = NULL WHERE id = " + id);
    }

    @Test
    @FullRun(except = {"postgresql", "h2"})
    void aWorkerThatLosesAllRowsOfItsBatchesEnds() throws Exception {
        for (boolean joined : new boolean[] {false, true}) {
            try (Jobs jobs = new Jobs(pool(), 3);
                    Dibs dibs = dibs()) {
                Run run = dibs.run(fresh("lost"));
                AtomicInteger worked = new AtomicInteger();
                try (Warnings warnings = new Warnings(run.name())) {
                    RunWorkers<?> workers = joined
                            ? run.over(jobs.claims(dibs).build()).workInTransaction((key, connection) -> {
                                worked.incrementAndGet();
                                end(jobs, key.asLong());
                            })
                            : run.over(jobs.claims(dibs).build()).work(key -> {
                                worked.incrementAndGet();
                                end(jobs, key.asLong());
                            });
                    assertThat(workers.start().await(LONG)).isTrue();
                    assertThat(workers.await()).isEqualTo(RunWorkers.End.FAILED);
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
    }

    @Test
    void aBatchThatIsDoneEndsTheCount() throws Exception {
        try (Jobs jobs = new Jobs(pool(), 2);
                Dibs dibs = dibs()) {
            Run run = dibs.run(fresh("lost-at-times"));
            AtomicInteger worked = new AtomicInteger();
            RunWorkers<?> workers = run.over(jobs.claims(dibs).build())
                    .batch(1)
                    .work(key -> {
                        if (worked.incrementAndGet() % 5 != 0) {
                            end(jobs, key.asLong());
                        }
                    })
                    .start();
            assertThat(workers.await(LONG)).isTrue();
            assertThat(workers.await()).isEqualTo(RunWorkers.End.FINISHED);
            assertThat(worked).hasValue(10);
            assertThat(run.status().orElseThrow().done()).isEqualTo(2);
        }
    }
}
