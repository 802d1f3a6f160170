package dev.dibs.contract.runs;

import static org.awaitility.Awaitility.await;

import dev.dibs.Dibs;
import dev.dibs.DibsException;
import dev.dibs.claims.ClaimsBuilder;
import dev.dibs.contract.support.ContractFixture;
import dev.dibs.contract.support.Jobs;
import dev.dibs.database.FullTest;
import dev.dibs.database.Sql;
import dev.dibs.runs.Run;
import dev.dibs.runs.RunBuilder;
import dev.dibs.runs.RunWorkers;
import dev.dibs.runs.RunWorkers.End;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** A completion that leaves its row in the condition ends the run, after a few rows. Rows that come back rightly do not. */
class CompletionCheckContract extends ContractFixture {
    private static final String EVERY_ROW = "id > 0";

    @Test
    void aRunWhoseCompletedRowsStillMatchEnds() throws Exception {
        Jobs jobs = jobs(5);
        Run run = here().run(fresh("vain"));
        RunBuilder<?> builder =
                run.over(jobs.claims(here()).where(EVERY_ROW).build()).batch(2);
        assertThat(workedBeforeTheEnd(builder, false, "where(id > 0)", "completeSet(done_at = 1)"))
                .isLessThan(10);
        assertThat(run.errors(1))
                .singleElement()
                .satisfies(error -> assertThat(error.message()).contains("still meets the condition"));
    }

    @FullTest(except = "postgresql")
    void andSoInEachWayToKeepClaimsAndToWork() throws Exception {
        Jobs jobs = jobs(5);
        ClaimsBuilder token = here().claims(jobs.table())
                .key("id")
                .token("request_token")
                .until("claimed_until")
                .where("done_at IS NULL");
        ClaimsBuilder side = here().claims(jobs.table()).key("id").sideTable().where(EVERY_ROW);
        Map<String, ClaimsBuilder> ways = new LinkedHashMap<>();
        ways.put("no completeSet(..)", token);
        ways.put("has no completeSet(..)", side);
        ways.put("completeSet(done_at = 2)", side.completeSet("done_at = 2"));
        ways.put("completeSet(what = 'a')", token.completeSet("what = 'a'").perKey("what", 1));
        for (Map.Entry<String, ClaimsBuilder> way : ways.entrySet()) {
            for (boolean joined : new boolean[] {false, true}) {
                RunBuilder<?> builder =
                        here().run(fresh("vain")).over(way.getValue().build()).batch(1);
                assertThat(workedBeforeTheEnd(builder, joined, way.getKey())).isLessThan(50);
            }
        }
    }

    @Test
    void manyWorkersInSeveralProcessesEnd() throws Exception {
        Jobs jobs = jobs(5);
        String name = fresh("vain");
        AtomicInteger worked = new AtomicInteger();
        List<RunWorkers<?>> all = new ArrayList<>();
        for (Dibs process : List.of(here(), there())) {
            all.add(process.run(name)
                    .over(jobs.claims(process).where(EVERY_ROW).build())
                    .batch(1)
                    .threads(4)
                    .work(row -> worked.incrementAndGet())
                    .start());
        }
        for (RunWorkers<?> workers : all) {
            assertThat(workers.await(LONG)).isTrue();
            assertThat(workers.await()).isEqualTo(End.FAILED);
        }
        assertThat(worked).hasValueLessThan(200);
    }

    /** Somebody opens it again after each completion, or between a completion and what follows. */
    @Test
    void aRowThatIsOpenedAgainIsNoFault() throws Exception {
        Jobs jobs = jobs(3);
        AtomicInteger worked = new AtomicInteger();
        RunWorkers<?> workers = runOver(jobs)
                .pollEvery(Duration.ofMillis(1))
                .work(row -> worked.incrementAndGet())
                .start();
        long until = System.nanoTime() + LONG.toNanos();
        while (worked.get() < 40 && System.nanoTime() < until) {
            jobs.run("UPDATE " + jobs.table() + " SET done_at = NULL WHERE done_at IS NOT NULL");
        }
        assertThat(workers.failure()).isEmpty();
        assertThat(worked).hasValueGreaterThanOrEqualTo(40);
        workers.close();
    }

    @Test
    void workInATransactionMayTakeTheRowOutItself() throws Exception {
        Jobs jobs = jobs(3);
        Run run = here().run(fresh("by-work"));
        RunWorkers<?> workers = run.over(here().claims(jobs.table())
                        .key("id")
                        .token("request_token")
                        .until("claimed_until")
                        .where("done_at IS NULL OR done_at < 3")
                        .build())
                .pollEvery(Duration.ofMillis(1))
                .workInTransaction((row, connection) -> Sql.on(connection)
                        .change("UPDATE " + jobs.table() + " SET done_at = 3 WHERE id = ?", row.asLong()))
                .start();
        for (int round = 1; round <= 3; round++) {
            long all = 3L * round;
            await().atMost(LONG).until(() -> run.status().orElseThrow().done() >= all);
            assertThat(workers.failure()).isEmpty();
            jobs.run("UPDATE " + jobs.table() + " SET done_at = 2");
        }
        workers.close();
    }

    /** Their completion finds nothing, and rightly so, however many they are. */
    @FullTest(except = "h2")
    void workMayDeleteManyRows() throws Exception {
        Jobs jobs = jobs(1_500);
        RunWorkers<?> workers = runOver(jobs)
                .batch(100)
                .work(row -> {
                    if (row.asLong() % 10 != 0) {
                        Sql.on(pool()).change("DELETE FROM " + jobs.table() + " WHERE id = ?", row.asLong());
                    }
                })
                .start();
        assertThat(workers.await(LONG)).isTrue();
        assertThat(workers.failure()).isEmpty();
        assertThat(workers.await()).isEqualTo(End.FINISHED);
        assertThat(jobs.numbers("SELECT count(*) FROM " + jobs.table() + " WHERE done_at IS NULL"))
                .containsExactly(0L);
    }

    private int workedBeforeTheEnd(RunBuilder<?> builder, boolean joined, String... said) throws Exception {
        AtomicInteger worked = new AtomicInteger();
        RunWorkers<?> workers = assertEnds(
                End.FAILED,
                joined
                        ? builder.workInTransaction((row, connection) -> worked.incrementAndGet())
                        : builder.work(row -> worked.incrementAndGet()));
        assertThat(workers.failure().orElseThrow())
                .isInstanceOf(DibsException.class)
                .hasMessageContainingAll(said)
                .hasMessageContaining("still meets the condition");
        return worked.get();
    }
}
