package dev.dibs.contract.runs;

import static org.awaitility.Awaitility.await;

import dev.dibs.Dibs;
import dev.dibs.contract.support.Fixture;
import dev.dibs.contract.support.Jobs;
import dev.dibs.database.FullRun;
import dev.dibs.process.ChildJvm;
import dev.dibs.runs.RunStatus;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Many workers in several processes, of which some are killed: each row takes effect exactly once. */
@Tag("race")
class RunRaceContract extends Fixture {

    @Test
    @Tag("slow")
    @FullRun(except = "postgresql")
    void workersAreKilledAndEveryRowTakesEffectOnce() throws Exception {
        long seed = System.nanoTime();
        System.out.println(database() + ": the seed of the run's race is " + seed);
        Random random = new Random(seed);
        String name = fresh("killed-run");
        int rows = inFullRun(3_000, 1_200);
        // A worker that stands still for longer loses its batch, and reports the second one in a row as a failure.
        Duration lease = Duration.ofSeconds(inFullRun(10, 5));
        List<ChildJvm> runners = new ArrayList<>();
        closing(() -> runners.forEach(ChildJvm::close));
        Jobs jobs = jobs(rows);
        Dibs dibs = dibs();
        long start = System.nanoTime();
        for (int i = 0; i < 4; i++) {
            runners.add(RunnerMain.start(database(), name, jobs, "race", lease, 2, 100));
        }
        for (int kill = 1; kill <= inFullRun(3, 1); kill++) {
            awaitDone(dibs, name, rows * kill / 8 + random.nextInt(rows / 16));
            ChildJvm victim = runners.remove(random.nextInt(runners.size()));
            victim.kill();
            runners.add(RunnerMain.start(database(), name, jobs, "race", lease, 2, 100));
        }
        for (ChildJvm runner : runners) {
            assertThat(runner.awaitLine(line -> line.startsWith("ENDED"), Duration.ofMinutes(10)))
                    .isEqualTo("ENDED FINISHED");
        }
        System.out.println(database() + ": " + rows + " rows took " + (System.nanoTime() - start) / 1_000_000 + " ms");
        assertThat(dibs.run(name).dead(10)).isEmpty();
        assertThat(jobs.done().size()).isEqualTo(rows);
        assertThat(jobs.effects().size()).isEqualTo(rows);
        assertThat(jobs.effects()).allMatch(effects -> effects == 1);
        assertThat(jobs.claimed()).isZero();
        RunStatus status = dibs.run(name).status().orElseThrow();
        assertThat(status.done()).isEqualTo(rows);
        assertThat(dibs.run(name).errors(10)).isEmpty();
        assertThat(status.failed()).isZero();
        dibs.run(name).over(jobs.claims(dibs).build()).ensureFinished();
    }

    private static void awaitDone(Dibs dibs, String name, long rows) {
        await().atMost(Duration.ofMinutes(10))
                .until(() -> dibs.run(name).status().map(RunStatus::done).orElse(0L) >= rows);
    }
}
