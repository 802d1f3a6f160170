package dev.dibs.contract.runs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.dibs.DatabaseFailureException;
import dev.dibs.Dibs;
import dev.dibs.claims.ClaimsBuilder;
import dev.dibs.claims.RowKey;
import dev.dibs.contract.support.Fixture;
import dev.dibs.contract.support.Jobs;
import dev.dibs.contract.support.Warnings;
import dev.dibs.database.FaultyDataSource;
import dev.dibs.database.FullRun;
import dev.dibs.runs.Run;
import dev.dibs.runs.RunBuilder;
import dev.dibs.runs.RunError;
import dev.dibs.runs.RunStatus;
import dev.dibs.runs.RunWorkers;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A mistake is no outage: it is reported, and no run waits for it to pass. */
@Tag("contract")
class RunMistakeContract extends Fixture {

    @Test
    void aMistakeInTheDevelopersSqlIsToldWhenTheClaimsAreBuilt() throws Exception {
        try (Jobs jobs = new Jobs(pool(), 1);
                Dibs dibs = dibs();
                Warnings warnings = new Warnings(jobs.table())) {
            for (boolean side : new boolean[] {false, true}) {
                refused(claims(dibs, jobs, side).where("done_at IS NUL"), "where(done_at IS NUL)");
                refused(claims(dibs, jobs, side).where("no_such IS NULL"), "where(no_such IS NULL)");
                refused(claims(dibs, jobs, side).orderBy("no_such"), "orderBy(no_such)");
                refused(claims(dibs, jobs, side).completeSet("no_such = 1"), "completeSet(no_such = 1)");
                refused(claims(dibs, jobs, side).completeSet("done_at = = 1"), "completeSet(done_at = = 1)");
            }
            refused(jobs.ranges(dibs).where("no_such IS NULL"), "where(no_such IS NULL)");
            assertThat(warnings.heard()).as("no advice from what is no SQL").isEmpty();
        }
    }

    private static ClaimsBuilder claims(Dibs dibs, Jobs jobs, boolean side) {
        ClaimsBuilder claims = dibs.claims(jobs.table()).key("id").where("done_at IS NULL");
        return side ? claims.sideTable() : claims.token("request_token").until("claimed_until");
    }

    private static void refused(ClaimsBuilder claims, String what) {
        assertThatThrownBy(claims::build)
                .isInstanceOf(DatabaseFailureException.class)
                .hasMessageContaining("the database refuses")
                .hasMessageContaining(what);
    }

    @Test
    @FullRun(except = "postgresql")
    void aRunThatTheDatabaseRefusesEndsAndSaysWhy() throws Exception {
        try (Jobs jobs = new Jobs(pool(), 20);
                Dibs dibs = dibs()) {
            Run run = dibs.run(fresh("refused"));
            AtomicInteger worked = new AtomicInteger();
            var claims = jobs.claims(dibs).build();
            jobs.run("ALTER TABLE " + jobs.table() + " ADD put_at bigint");
            var wrong = jobs.claims(dibs).completeSet("put_at = 1").build();
            jobs.run("ALTER TABLE " + jobs.table() + " DROP COLUMN put_at");
            RunWorkers<?> workers = run.over(wrong)
                    .batch(5)
                    .work(key -> worked.incrementAndGet())
                    .start();
            assertThat(workers.await(LONG)).as("it ends").isTrue();
            assertThat(workers.await()).isEqualTo(RunWorkers.End.FAILED);
            assertThat(workers.failure().orElseThrow())
                    .isInstanceOf(DatabaseFailureException.class)
                    .hasMessageContaining("complete_rows failed")
                    .hasMessageContaining("will be processed again: [1, 2, 3, 4, 5]");
            assertThat(worked).hasValue(5);
            assertThat(jobs.claimed()).as("nothing stays claimed").isZero();
            RunStatus status = run.status().orElseThrow();
            assertThat(status.workers()).singleElement().satisfies(worker -> {
                assertThat(worker.alive()).isFalse();
                assertThat(worker.error().orElseThrow()).contains("complete_rows failed");
            });
            assertThat(status.failed()).as("no row has failed").isZero();
            assertThat(run.errors(5)).singleElement().satisfies(error -> {
                assertThat(error.key()).isEmpty();
                assertThat(error.message()).contains("complete_rows failed");
            });

            assertThat(run.over(claims).work(key -> {}).start().await()).isEqualTo(RunWorkers.End.FINISHED);
            assertThat(run.status().orElseThrow().done()).isEqualTo(20);
        }
    }

    @Test
    void aWorkerThatRunsIntoAnErrorSaysSo() throws Exception {
        try (Jobs jobs = new Jobs(pool(), 3);
                Dibs dibs = dibs()) {
            Run run = dibs.run(fresh("error"));
            assertEndsAtOnce(run.over(jobs.claims(dibs).build()));
            assertThat(run.errors(5)).extracting(RunError::key).contains("", "1");
        }
    }

    @Test
    void aWorkerThatRunsIntoAnErrorEndsEvenIfTheDatabaseIsAway() throws Exception {
        FaultyDataSource faulty = new FaultyDataSource(pool());
        try (Jobs jobs = new Jobs(pool(), 3);
                Dibs dibs = dibs(faulty)) {
            faulty.on(sql -> sql.contains("INTO dibs_run_row")).loseStatement();
            assertEndsAtOnce(
                    dibs.run(fresh("error-away")).over(jobs.claims(dibs).build()));
            assertThat(faulty.struck()).hasSize(1);
            faulty.on(sql -> sql.startsWith("SELECT max_failures")).loseStatement();
            assertEndsAtOnce(
                    dibs.run(fresh("error-then-away")).over(jobs.claims(dibs).build()));
            assertThat(faulty.struck()).hasSize(2);
        }
    }

    private static void assertEndsAtOnce(RunBuilder<RowKey> run) throws Exception {
        AtomicInteger worked = new AtomicInteger();
        RunWorkers<?> workers = run.executor(task -> new Thread(() -> {
                            try {
                                task.run();
                            } catch (InternalError e) {
                                // It has been reported.
                            }
                        })
                        .start())
                .work(key -> {
                    worked.incrementAndGet();
                    throw new InternalError("broken");
                })
                .start();
        assertThat(workers.await()).isEqualTo(RunWorkers.End.FAILED);
        assertThat(workers.failure().orElseThrow()).isInstanceOf(InternalError.class);
        assertThat(worked).hasValue(1);
    }
}
