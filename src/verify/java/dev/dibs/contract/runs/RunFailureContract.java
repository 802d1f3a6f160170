package dev.dibs.contract.runs;

import static org.awaitility.Awaitility.await;

import dev.dibs.DatabaseFailureException;
import dev.dibs.Dibs;
import dev.dibs.claims.ClaimsBuilder;
import dev.dibs.claims.RowKey;
import dev.dibs.contract.support.ContractFixture;
import dev.dibs.contract.support.Jobs;
import dev.dibs.contract.support.Warnings;
import dev.dibs.database.FaultyDataSource;
import dev.dibs.database.FullTest;
import dev.dibs.once.Once;
import dev.dibs.once.OnceOutcome;
import dev.dibs.runs.Run;
import dev.dibs.runs.RunBuilder;
import dev.dibs.runs.RunError;
import dev.dibs.runs.RunStatus;
import dev.dibs.runs.RunWorkers;
import dev.dibs.runs.RunWorkers.End;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/**
 * A mistake is no outage: it is reported, and no run waits for it to pass. If the database refuses to record a failure, while it accepts
 * all else, the number of tries has a bound, and somebody is told.
 */
class RunFailureContract extends ContractFixture {
    private static final long BAD = 3;

    /** What a missing right, a full disk, a full table, a read-only table, and a trigger that refuses may be. */
    private static final Map<String, Integer> REFUSALS =
            Map.of("42501", 1142, "53100", 0, "HY000", 1114, "25006", 1290, "P0001", 0, "45000", 1644);

    @Test
    void aMistakeInTheDevelopersSqlIsToldWhenTheClaimsAreBuilt() throws Exception {
        Jobs jobs = jobs(1);
        Dibs dibs = dibs();
        Warnings warnings = closing(new Warnings(jobs.table()));
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

    private static ClaimsBuilder claims(Dibs dibs, Jobs jobs, boolean side) {
        ClaimsBuilder claims = dibs.claims(jobs.table()).key("id").where("done_at IS NULL");
        return side ? claims.sideTable() : claims.token("request_token").until("claimed_until");
    }

    private static void refused(ClaimsBuilder claims, String what) {
        assertFails(claims::build, "the database refuses", what);
    }

    @FullTest(except = "postgresql")
    void aRunThatTheDatabaseRefusesEndsAndSaysWhy() throws Exception {
        Jobs jobs = jobs(20);
        Run run = here().run(fresh("refused"));
        AtomicInteger worked = new AtomicInteger();
        var claims = jobs.claims(here()).build();
        jobs.run("ALTER TABLE " + jobs.table() + " ADD put_at bigint");
        var wrong = jobs.claims(here()).completeSet("put_at = 1").build();
        jobs.run("ALTER TABLE " + jobs.table() + " DROP COLUMN put_at");
        RunWorkers<?> workers = assertEnds(End.FAILED, run.over(wrong).batch(5).work(key -> worked.incrementAndGet()));
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

        assertEnds(End.FINISHED, run.over(claims).work(key -> {}));
        assertThat(run.status().orElseThrow().done()).isEqualTo(20);
    }

    @Test
    void aWorkerThatRunsIntoAnErrorSaysSo() throws Exception {
        Jobs jobs = jobs(3);
        Run run = here().run(fresh("error"));
        assertEndsAtOnce(over(run, jobs));
        assertThat(run.errors(5)).extracting(RunError::key).contains("", "1");
    }

    /** The attempt is recorded before the row of a worker that has vanished is tried again. */
    @FullTest(except = "h2")
    void anAttemptWhoseRecordHadNoAnswerCountsOnce() throws Exception {
        Jobs jobs = jobs(1);
        jobs.claims(there()).build().claim(1);
        jobs.run("UPDATE " + jobs.table() + " SET claimed_until = 1");
        faulty().on(sql -> sql.contains("INTO dibs_run_row")).loseAnswer();
        Run run = overFaulty().run(fresh("once"));
        assertEnds(
                End.FINISHED,
                run.over(jobs.claims(overFaulty()).build()).maxAttempts(1).work(key -> {}));
        assertThat(faulty().struck()).hasSize(1);
        assertThat(run.status().orElseThrow().done()).isEqualTo(1);
    }

    @Test
    void aWorkerThatRunsIntoAnErrorEndsEvenIfTheDatabaseIsAway() throws Exception {
        Jobs jobs = jobs(3);
        faulty().on(sql -> sql.contains("INTO dibs_run_row")).loseStatement();
        assertEndsAtOnce(overFaulty()
                .run(fresh("error-away"))
                .over(jobs.claims(overFaulty()).build()));
        assertThat(faulty().struck()).hasSize(1);
        faulty().on(sql -> sql.startsWith("SELECT max_failures")).loseStatement();
        assertEndsAtOnce(overFaulty()
                .run(fresh("error-then-away"))
                .over(jobs.claims(overFaulty()).build()));
        assertThat(faulty().struck()).hasSize(2);
    }

    private static void assertEndsAtOnce(RunBuilder<RowKey> run) throws Exception {
        AtomicInteger worked = new AtomicInteger();
        RunWorkers<?> workers = assertEnds(
                End.FAILED,
                run.executor(task -> new Thread(() -> {
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
                        }));
        assertThat(workers.failure().orElseThrow()).isInstanceOf(InternalError.class);
        assertThat(worked).hasValue(1);
    }

    @FullTest(except = "postgresql")
    void aWorkerEndsDespiteSuccessesInBetween() throws Exception {
        for (Map.Entry<String, Integer> refusal : REFUSALS.entrySet()) {
            FaultyDataSource source = new FaultyDataSource(pool());
            source.on(sql -> sql.contains("INTO dibs_run_error")).always().fail(refusal.getKey(), refusal.getValue());
            Jobs jobs = jobs(200);
            Dibs dibs = dibs(source);
            assertThatAWorkerEnds(dibs.run(fresh("unrecorded")), dibs, jobs, refusal.getKey());
        }
    }

    /** Really refused: the table is gone. */
    @FullTest(except = {"postgresql", "h2"})
    void aWorkerEndsIfTheTableOfErrorsIsGone() throws Exception {
        String prefix = prefix();
        Jobs jobs = jobs(200);
        Dibs dibs = dibs(pool(), prefix);
        dibs.admin().createSchema();
        jobs.run("DROP TABLE " + prefix + "run_error");
        Run run = dibs.run(fresh("gone"));
        // Else the start would purge old errors, and fail.
        assertThatAWorkerEnds(run, dibs, jobs, "run_error");
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
            assertThat(workers.await()).as(why).isEqualTo(End.FAILED);
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

    /** An exception of the user's may be unable to say anything. */
    @Test
    void aRowWhoseErrorHasNoTextBecomesDead() throws Exception {
        Jobs jobs = jobs(3);
        Run run = here().run(fresh("unprintable"));
        assertEnds(End.INCOMPLETE, over(run, jobs).batch(1).maxAttempts(1).work(key -> {
            if (key.asLong() == 2) {
                throw new Unprintable();
            }
        }));
        assertThat(run.dead(5))
                .singleElement()
                .satisfies(dead -> assertThat(dead.message()).contains(Unprintable.class.getName()));
        assertThat(run.status().orElseThrow().done()).isEqualTo(2);
    }

    private static final class Unprintable extends RuntimeException {

        private static final long serialVersionUID = 1;

        @Override
        public String getMessage() {
            throw new IllegalStateException("the text cannot be made");
        }
    }

    /** Attempts that could not be recorded count as soon as one can be. */
    @Test
    void attemptsInMemoryCountOnceTheyCanBeRecorded() throws Exception {
        AtomicInteger tries = new AtomicInteger();
        faulty().on(sql -> tries.get() < 3 && sql.contains("INTO dibs_run_error"))
                .always()
                .fail("42501", 1142);
        Jobs jobs = jobs(1);
        Run run = overFaulty().run(fresh("later"));
        assertEnds(
                End.INCOMPLETE,
                run.over(jobs.claims(overFaulty()).build())
                        .maxAttempts(3)
                        .backoff(Duration.ofMillis(5), Duration.ofMillis(5))
                        .work(key -> {
                            tries.incrementAndGet();
                            throw new IllegalStateException("bad");
                        }));
        assertThat(tries).hasValue(3);
        assertThat(run.dead(9))
                .singleElement()
                .satisfies(dead -> assertThat(dead.attempts()).isEqualTo(3));
    }

    /** The record was committed, but its answer was lost: it is not recorded twice. */
    @Test
    void anAttemptWhoseRecordGotNoAnswerCountsOnce() throws Exception {
        Jobs jobs = jobs(1);
        Run run = overFaulty().run(fresh("unanswered"));
        AtomicInteger tries = new AtomicInteger();
        faulty().on(sql -> tries.get() > 0 && sql.equals("COMMIT")).loseAnswer();
        assertEnds(
                End.FINISHED,
                run.over(jobs.claims(overFaulty()).build())
                        .backoff(Duration.ofMillis(5), Duration.ofMillis(5))
                        .work(key -> failIf(tries.incrementAndGet() == 1)));
        assertThat(faulty().struck()).hasSize(1);
        assertThat(tries).hasValue(2);
        assertThat(run.errors(9)).hasSize(1);
        assertThat(run.status().orElseThrow().failed()).isEqualTo(1);
    }

    @FullTest(except = {"postgresql", "h2"})
    void onceIsPausedInThisProcess() throws Exception {
        faulty().on(sql -> sql.contains("failed_at") && !sql.contains("read_at"))
                .always()
                .fail("42501", 1142);
        AtomicInteger runs = new AtomicInteger();
        Once once = once(overFaulty(), LONG);
        assertThatThrownBy(() -> runAndFail(once, runs)).hasMessage("bad");
        assertThat(once.tryRun(lease -> runs.incrementAndGet())).isEqualTo(OnceOutcome.FAILED);
        assertThat(once.tryRun(Duration.ofMillis(50), lease -> runs.incrementAndGet()))
                .isEqualTo(OnceOutcome.FAILED);
        assertRefused(
                () -> once.requireDone(Duration.ZERO, lease -> runs.incrementAndGet()),
                "It failed (java.lang.IllegalStateException: bad)");
        assertThat(runs).hasValue(1);

        Once again = once(overFaulty(), Duration.ofMillis(200));
        for (int i = 2; i <= 3; i++) {
            assertThatThrownBy(() -> await().until(() -> runAndFail(again, runs) == OnceOutcome.RAN))
                    .hasMessage("bad");
            assertThat(runs).hasValue(i);
        }
        faulty().heal();
        assertThat(again.tryRun(LONG, lease -> {})).isEqualTo(OnceOutcome.RAN);
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
