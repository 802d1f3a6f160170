package dev.dibs.contract.runs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.dibs.DatabaseFailureException;
import dev.dibs.Dibs;
import dev.dibs.contract.support.Fixture;
import dev.dibs.contract.support.Jobs;
import dev.dibs.contract.support.Warnings;
import dev.dibs.database.FaultyDataSource;
import dev.dibs.database.FullRun;
import dev.dibs.runs.Run;
import dev.dibs.runs.RunStatus;
import dev.dibs.runs.RunWorkers;
import java.util.concurrent.CountDownLatch;
import java.util.logging.Level;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A run waits for the number of its rows no longer than a moment. */
@Tag("contract")
class RunTotalContract extends Fixture {

    @Test
    @FullRun(except = {"postgresql", "h2"})
    void aRunStartsBeforeItsRowsAreCounted() throws Exception {
        FaultyDataSource source = new FaultyDataSource(pool());
        CountDownLatch goOn = new CountDownLatch(1);
        try (Jobs jobs = new Jobs(pool(), 3);
                Dibs dibs = dibs(source)) {
            Run run = dibs.run(fresh("huge"));
            var claims = jobs.claims(dibs).build();
            source.on(sql -> sql.contains("AS to_do")).holdBefore(goOn);
            CountDownLatch worked = new CountDownLatch(3);
            CountDownLatch end = new CountDownLatch(1);
            RunWorkers<?> workers = run.over(claims)
                    .work(key -> {
                        worked.countDown();
                        if (worked.getCount() == 0) {
                            end.await();
                        }
                    })
                    .start();
            worked.await();
            RunStatus status = run.status().orElseThrow();
            assertThat(status.total()).isEmpty();
            assertThat(status.left()).isEmpty();
            goOn.countDown();
            await().until(() -> run.status().orElseThrow().total().isPresent());
            end.countDown();
            assertThat(workers.await()).isEqualTo(RunWorkers.End.FINISHED);
        }
    }

    @Test
    void aRunWhoseRowsCannotBeCountedHasNoTotal() throws Exception {
        FaultyDataSource source = new FaultyDataSource(pool());
        try (Jobs jobs = new Jobs(pool(), 3);
                Dibs dibs = dibs(source)) {
            Run run = dibs.run(fresh("uncounted"));
            var claims = jobs.claims(dibs).build();
            source.on(sql -> sql.contains("AS to_do")).always().fail("57014", 0);
            try (Warnings said = new Warnings(run.name(), Level.INFO)) {
                RunWorkers<?> workers = run.over(claims).work(key -> {}).start();
                assertThat(workers.await()).isEqualTo(RunWorkers.End.FINISHED);
                assertThat(said.heard()).singleElement().asString().contains("could not be counted");
            }
            assertThat(run.status().orElseThrow().total()).isEmpty();
            assertThat(jobs.done()).hasSize(3);
        }
    }

    @Test
    void aQuestionWithoutAnAnswerHasNoEffect() throws Exception {
        FaultyDataSource source = new FaultyDataSource(pool());
        try (Jobs jobs = new Jobs(pool(), 3);
                Dibs dibs = dibs(source)) {
            var claims = jobs.claims(dibs).build();
            source.on(sql -> sql.contains("AS to_do")).loseAnswer();
            assertThatThrownBy(claims::count)
                    .isInstanceOf(DatabaseFailureException.class)
                    .hasMessageContaining("nothing was changed")
                    .hasMessageNotContaining("took effect");
        }
    }
}
