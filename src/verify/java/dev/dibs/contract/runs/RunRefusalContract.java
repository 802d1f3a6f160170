package dev.dibs.contract.runs;

import static org.awaitility.Awaitility.await;

import dev.dibs.Dibs;
import dev.dibs.claims.RowClaims;
import dev.dibs.claims.RowKey;
import dev.dibs.contract.support.ContractFixture;
import dev.dibs.contract.support.FrozenRow;
import dev.dibs.contract.support.FrozenRow.Way;
import dev.dibs.contract.support.Jobs;
import dev.dibs.database.FaultyDataSource;
import dev.dibs.database.FullRun;
import dev.dibs.runs.DeadLetter;
import dev.dibs.runs.Run;
import dev.dibs.runs.RunBuilder;
import dev.dibs.runs.RunError;
import dev.dibs.runs.RunWorkers;
import dev.dibs.runs.RunWorkers.End;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The database refuses the completion of one row: that row has failed, and the others are completed. */
@FullRun(except = "postgresql")
class RunRefusalContract extends ContractFixture {
    private static final Duration SHORT = Duration.ofMillis(1);

    @Test
    void oneRefusedRowDoesNotStopTheOthers() throws Exception {
        for (Way way : FrozenRow.ways(database())) {
            for (boolean side : new boolean[] {false, true}) {
                FrozenRow rows = closing(FrozenRow.of(database(), pool(), way));
                if (rows.isRefused()) {
                    Run run = here().run(fresh("frozen"));
                    RunWorkers<?> workers =
                            builder(run, rows.claims(here(), side).build()).work(row -> {});
                    assertRefused(way, run, workers, rows);
                }
            }
        }
    }

    /** No row of its batch can be completed, as often as a row is tried by default. */
    @Test
    void aRefusedRowThatIsTriedAgainIsNoReasonToEnd() throws Exception {
        Way way = FrozenRow.ways(database()).get(0);
        FrozenRow rows = closing(FrozenRow.of(database(), pool(), way));
        assertEnds(
                End.INCOMPLETE,
                here().run(fresh("again"))
                        .over(rows.claims(here(), false).build())
                        .batch(1)
                        .backoff(SHORT, SHORT)
                        .work(row -> {}));
        assertThat(rows.done()).isEqualTo(FrozenRow.OTHERS);
    }

    @Test
    void aRefusedTransactionIsAFailedAttempt() throws Exception {
        for (Way way : FrozenRow.ways(database())) {
            FrozenRow rows = closing(FrozenRow.of(database(), pool(), way));
            if (rows.isRefused()) {
                Run run = here().run(fresh("transaction"));
                RunWorkers<?> workers =
                        builder(run, rows.claims(here(), false).build()).workInTransaction((row, connection) -> {});
                assertRefused(way, run, workers, rows);
            }
        }
    }

    private static RunBuilder<RowKey> builder(Run run, RowClaims<RowKey> claims) {
        return run.over(claims).batch(3).maxAttempts(2).backoff(SHORT, SHORT);
    }

    private static void assertRefused(Way way, Run run, RunWorkers<?> workers, FrozenRow rows) throws Exception {
        assertEnds(End.INCOMPLETE, workers);
        assertThat(rows.done()).as(way.name()).isEqualTo(FrozenRow.OTHERS);
        assertCounts(run, 5, 2);
        assertThat(run.dead(9)).as(way.name()).extracting(DeadLetter::key).containsExactly("3");
        List<RunError> errors = run.errors(9);
        assertThat(errors).as(way.name()).extracting(RunError::key).containsExactly("3", "3");
        assertThat(errors)
                .allSatisfy(error -> assertThat(error.message())
                        .as(way.name())
                        .contains(way.trigger().isEmpty() ? "SQL state" : "the row is frozen")
                        .doesNotContain("locks", "unknown", "for now"));
    }

    /** If no row at all can be completed, the worker ends and says why. */
    @Test
    void aWorkerEndsIfNoRowCanBeCompleted() throws Exception {
        Way all = new Way("all", ", CONSTRAINT #_check CHECK (done_at IS NULL)", "done_at = id", List.of());
        FrozenRow rows = closing(FrozenRow.of(database(), pool(), all));
        Run run = here().run(fresh("vain"));
        RunWorkers<?> workers = assertEnds(
                End.FAILED,
                run.over(rows.claims(here(), false).build())
                        .batch(1)
                        .maxAttempts(9)
                        .backoff(LONG, LONG)
                        .work(row -> {}));
        assertThat(workers.failure().orElseThrow()).hasMessageContaining("The table refuses these values");
        assertThat(run.errors(9))
                .hasSize(6)
                .allSatisfy(error -> assertThat(error.message()).contains("The table refuses these values"));
        assertThat(rows.done()).isEmpty();
    }

    /** A worker that is closed completes the rows that it has processed, but for the refused one. */
    @Test
    void aRefusedRowDoesNotKeepTheOthersFromTheirCompletionAtTheEnd() throws Exception {
        Way way = FrozenRow.ways(database()).get(0);
        FrozenRow rows = closing(FrozenRow.of(database(), pool(), way));
        Run run = here().run(fresh("closed"));
        RunWorkers<?>[] workers = new RunWorkers<?>[1];
        workers[0] = run.over(rows.claims(here(), false).build())
                .batch(6)
                .work(row -> {
                    if (row.asLong() == 5) {
                        run.stop("enough");
                        workers[0].close();
                    }
                })
                .start();
        assertThat(workers[0].await(LONG)).isTrue();
        assertThat(rows.done()).contains(1L, 2L, 4L).doesNotContain(3L);
        assertThat(run.errors(9))
                .singleElement()
                .satisfies(error -> assertThat(error.message()).contains("the row is frozen"));
    }

    /** What a worker cannot complete when it ends is not renewed, though its process lives on: others get it. */
    @Test
    void aCompletionThatIsRefusedAtTheEndLeavesNoClaimBehind() throws Exception {
        Jobs jobs = jobs(2);
        RowClaims<RowKey> claims =
                jobs.claims(overFaulty()).leaseLength(Duration.ofSeconds(3)).build();
        RunWorkers<?>[] workers = new RunWorkers<?>[1];
        workers[0] = overFaulty()
                .run(fresh("left"))
                .over(claims)
                .batch(2)
                .work(row -> {
                    faulty().on(sql -> sql.contains("done_at = 1")).always().fail("42000", 0);
                    workers[0].close();
                })
                .start();
        assertThat(workers[0].await(LONG)).isTrue();
        RowClaims<RowKey> others = jobs.claims(there()).build();
        Set<RowKey> found = new HashSet<>();
        await().atMost(LONG).until(() -> {
            found.addAll(others.claim(2).keys());
            return found.size() == 2;
        });
    }

    /** The server is read-only, or its disk is full: the errors say so while it lasts, and the run goes on after it. */
    @Test
    void aRefusalThatMayPassIsToldWhileItLasts() throws Exception {
        FrozenRow rows = closing(
                FrozenRow.of(database(), pool(), FrozenRow.ways(database()).get(0)));
        RowClaims<RowKey> claims = rows.claims(overFaulty(), false)
                .where("done_at IS NULL AND id <> 3")
                .build();
        Run run = overFaulty().run(fresh("full"));
        faulty().on(sql -> sql.contains(rows.table())).always().fail("25006", 0);
        RunWorkers<?> workers = run.over(claims).work(row -> {}).start();
        try {
            await().atMost(SOON).until(() -> !run.errors(9).isEmpty());
            assertThat(run.errors(9))
                    .singleElement()
                    .satisfies(error -> assertThat(error.message()).contains("planted failure", "for now"));
        } finally {
            faulty().heal();
        }
        assertThat(workers.await(LONG)).isTrue();
        assertThat(workers.await()).isEqualTo(End.FINISHED);
        assertThat(rows.done()).isEqualTo(FrozenRow.OTHERS);
    }

    /**
     * The rows have left their range. So the first transaction of their completion has only counted them, when the database refuses the
     * second: they are completed one by one, and are not counted again.
     */
    @Test
    void rowsThatAreCompletedOneByOneAreCountedOnce() throws Exception {
        assertCounts(ranges(2, 3), 1);
        assertCounts(ranges(2, 3, 5), 2);
    }

    /** The second transactions of a batch of 6 are refused at these times; the first is that of a dead letter. */
    private Run ranges(int... times) throws Exception {
        FaultyDataSource faulty = new FaultyDataSource(pool());
        Dibs dibs = dibs(faulty);
        Jobs jobs = jobs(6);
        RowClaims<RowKey> claims = jobs.ranges(dibs).build();
        for (int time : times) {
            faulty.on(RunRefusalContract::scatters).time(time).fail("23514", 0);
        }
        Run run = dibs.run(fresh("ranges"));
        assertEnds(End.INCOMPLETE, run.over(claims).batch(6).maxAttempts(1).work(row -> failIf(row.asLong() == 1)));
        assertThat(faulty.struck()).hasSize(times.length);
        return run;
    }

    private static void assertCounts(Run run, int failed) {
        assertCounts(run, 6 - failed, failed);
        assertThat(run.dead(9)).hasSize(failed);
    }

    /** Whether a row leaves its range; if that is several statements, by the first that adds a claim. */
    private static boolean scatters(String sql) {
        boolean others = sql.contains("NOT EXISTS") || sql.contains("ON DUPLICATE KEY");
        return sql.contains("INSERT INTO dibs_claim") && !(others && sql.startsWith("INSERT"));
    }

    /** The answer to one of those completions is lost: the others are counted all the same. */
    @Test
    void aLostAnswerOfOneOfManyRowsChangesNoCount() throws Exception {
        for (int time = 4; time <= 6; time++) {
            FaultyDataSource faulty = new FaultyDataSource(pool());
            Dibs dibs = dibs(faulty);
            Jobs jobs = jobs(6);
            Run run = dibs.run(fresh("one-lost"));
            RowClaims<RowKey> claims = jobs.claims(dibs).build();
            for (int refused = 1; refused <= 2; refused++) {
                faulty.on(RunRefusalContract::completes).time(refused).fail("23514", 0);
            }
            faulty.on(sql -> completes(sql)
                            || (sql.equals("COMMIT") && !faulty.struck().isEmpty()))
                    .time(time)
                    .loseAnswer();
            assertEnds(End.FINISHED, run.over(claims).batch(6).work(row -> {}));
            assertThat(faulty.struck()).as("time %s", time).hasSize(3);
            assertThat(jobs.done()).hasSize(6);
            assertThat(run.status().orElseThrow().done()).as("time %s", time).isEqualTo(6);
        }
    }

    private static boolean completes(String sql) {
        return sql.contains("done_at = 1");
    }
}
