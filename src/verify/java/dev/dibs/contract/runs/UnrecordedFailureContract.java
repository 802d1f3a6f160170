package dev.dibs.contract.runs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.dibs.DatabaseFailureException;
import dev.dibs.Dibs;
import dev.dibs.DibsException;
import dev.dibs.contract.support.Fixture;
import dev.dibs.contract.support.Jobs;
import dev.dibs.contract.support.Warnings;
import dev.dibs.database.FaultyDataSource;
import dev.dibs.database.FullRun;
import dev.dibs.once.Once;
import dev.dibs.once.OnceOutcome;
import dev.dibs.runs.Run;
import dev.dibs.runs.RunStatus;
import dev.dibs.runs.RunWorkers;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A failure that the database refuses to record, while it accepts all else: the number of tries has a bound, and somebody is told. */
@Tag("contract")
class UnrecordedFailureContract extends Fixture {

    private static final long BAD = 3;

    /** What a missing right, a full disk, a full table, a read-only table, and a trigger that refuses may be. */
    private static final Map<String, Integer> REFUSALS =
            Map.of("42501", 1142, "53100", 0, "HY000", 1114, "25006", 1290, "P0001", 0, "45000", 1644);

    @Test
    @FullRun(except = "postgresql")
    void aWorkerEndsDespiteSuccessesInBetween() throws Exception {
        for (Map.Entry<String, Integer> refusal : REFUSALS.entrySet()) {
            FaultyDataSource source = new FaultyDataSource(pool());
            source.on(sql -> sql.contains("INTO dibs_run_error")).always().fail(refusal.getKey(), refusal.getValue());
            try (Jobs jobs = new Jobs(pool(), 200);
                    Dibs dibs = dibs(source)) {
                String name = fresh("unrecorded");
                assertThatAWorkerEnds(dibs.run(name), dibs, jobs, refusal.getKey());
            }
        }
    }

    /** Really refused: the table is gone. */
    @Test
    @FullRun(except = {"postgresql", "h2"})
    void aWorkerEndsIfTheTableOfErrorsIsGone() throws Exception {
        String prefix = prefix();
        try (Jobs jobs = new Jobs(pool(), 200);
                Dibs dibs = builder(pool()).tablePrefix(prefix).build()) {
            dibs.admin().createSchema();
            jobs.run("DROP TABLE " + prefix + "run_error");
            Run run = dibs.run(fresh("gone"));
            // Else the start would purge old errors, and fail.
            assertThatAWorkerEnds(run, dibs, jobs, "run_error");
        }
    }

    private static void assertThatAWorkerEnds(Run run, Dibs dibs, Jobs jobs, String why) throws Exception {
        AtomicInteger tries = new AtomicInteger();
        try (Warnings warnings = new Warnings(run.name(), java.util.logging.Level.SEVERE)) {
            RunWorkers<?> workers = run.over(jobs.claims(dibs).build())
                    .batch(1)
                    .backoff(Duration.ofMillis(1), Duration.ofMillis(1))
                    .work(key -> {
                        if (key.asLong() == BAD) {
                            tries.incrementAndGet();
                            throw new IllegalStateException("bad");
                        }
                        Thread.sleep(3);
                    })
                    .start();
            assertThat(workers.await(LONG)).as(why).isTrue();
            assertThat(workers.await()).as(why).isEqualTo(RunWorkers.End.FAILED);
            assertThat(tries).as(why).hasValue(5);
            assertThat(workers.failure().orElseThrow())
                    .isInstanceOf(DatabaseFailureException.class)
                    .hasMessageContaining("failed attempts cannot be recorded");
            RunStatus status = run.status().orElseThrow();
            assertThat(status.workers().get(0).error().orElseThrow()).contains("cannot be recorded");
            assertThat(status.done())
                    .as("the rows in between are done, and counted")
                    .isEqualTo(jobs.done().size());
            assertThat(jobs.done()).isNotEmpty();
            assertThat(warnings.heard()).singleElement().asString().contains("cannot be recorded");
        }
    }

    /** Attempts that could not be recorded count as soon as one can be. */
    @Test
    void attemptsInMemoryCountOnceTheyCanBeRecorded() throws Exception {
        FaultyDataSource source = new FaultyDataSource(pool());
        AtomicInteger tries = new AtomicInteger();
        source.on(sql -> tries.get() < 3 && sql.contains("INTO dibs_run_error"))
                .always()
                .fail("42501", 1142);
        try (Jobs jobs = new Jobs(pool(), 1);
                Dibs dibs = dibs(source)) {
            Run run = dibs.run(fresh("later"));
            RunWorkers<?> workers = run.over(jobs.claims(dibs).build())
                    .maxAttempts(3)
                    .backoff(Duration.ofMillis(5), Duration.ofMillis(5))
                    .work(key -> {
                        tries.incrementAndGet();
                        throw new IllegalStateException("bad");
                    })
                    .start();
            assertThat(workers.await()).isEqualTo(RunWorkers.End.INCOMPLETE);
            assertThat(tries).hasValue(3);
            assertThat(run.dead(9))
                    .singleElement()
                    .satisfies(dead -> assertThat(dead.attempts()).isEqualTo(3));
        }
    }

    /** The record was committed, but its answer was lost: it is not recorded twice. */
    @Test
    void anAttemptWhoseRecordGotNoAnswerCountsOnce() throws Exception {
        FaultyDataSource source = new FaultyDataSource(pool());
        try (Jobs jobs = new Jobs(pool(), 1);
                Dibs dibs = dibs(source)) {
            Run run = dibs.run(fresh("unanswered"));
            AtomicInteger tries = new AtomicInteger();
            source.on(sql -> tries.get() > 0 && sql.equals("COMMIT")).loseAnswer();
            RunWorkers<?> workers = run.over(jobs.claims(dibs).build())
                    .backoff(Duration.ofMillis(5), Duration.ofMillis(5))
                    .work(key -> {
                        if (tries.incrementAndGet() == 1) {
                            throw new IllegalStateException("bad");
                        }
                    })
                    .start();
            assertThat(workers.await()).isEqualTo(RunWorkers.End.FINISHED);
            assertThat(source.struck()).hasSize(1);
            assertThat(tries).hasValue(2);
            assertThat(run.errors(9)).hasSize(1);
            assertThat(run.status().orElseThrow().failed()).isEqualTo(1);
        }
    }

    @Test
    @FullRun(except = {"postgresql", "h2"})
    void onceIsPausedInThisProcess() throws Exception {
        FaultyDataSource source = new FaultyDataSource(pool());
        source.on(sql -> sql.contains("failed_at") && !sql.contains("read_at"))
                .always()
                .fail("42501", 1142);
        try (Dibs dibs = dibs(source)) {
            AtomicInteger runs = new AtomicInteger();
            Once once = once(dibs, LONG);
            assertThatThrownBy(() -> runAndFail(once, runs)).hasMessage("bad");
            assertThat(once.tryRun(lease -> runs.incrementAndGet())).isEqualTo(OnceOutcome.FAILED);
            assertThat(once.tryRun(Duration.ofMillis(50), lease -> runs.incrementAndGet()))
                    .isEqualTo(OnceOutcome.FAILED);
            assertThatThrownBy(() -> once.requireDone(Duration.ZERO, lease -> runs.incrementAndGet()))
                    .isExactlyInstanceOf(DibsException.class)
                    .hasMessageContaining("It failed (java.lang.IllegalStateException: bad)");
            assertThat(runs).hasValue(1);

            Once again = once(dibs, Duration.ofMillis(200));
            for (int i = 2; i <= 3; i++) {
                assertThatThrownBy(() -> await().until(() -> runAndFail(again, runs) == OnceOutcome.RAN))
                        .hasMessage("bad");
                assertThat(runs).hasValue(i);
            }
            source.heal();
            assertThat(again.tryRun(LONG, lease -> {})).isEqualTo(OnceOutcome.RAN);
        }
    }

    private Once once(Dibs dibs, Duration pause) {
        return dibs.once(fresh("once")).backoff(pause, Duration.ofHours(1)).every(Duration.ofDays(1));
    }

    private static OnceOutcome runAndFail(Once once, AtomicInteger runs) {
        return once.tryRun(lease -> {
            runs.incrementAndGet();
            throw new IllegalStateException("bad");
        });
    }
}
