package dev.dibs.contract.runs;

import static org.awaitility.Awaitility.await;

import dev.dibs.Dibs;
import dev.dibs.JumpingClock;
import dev.dibs.claims.Claim;
import dev.dibs.claims.ClaimsBuilder;
import dev.dibs.claims.RowClaims;
import dev.dibs.claims.RowKey;
import dev.dibs.contract.support.ContractFixture;
import dev.dibs.contract.support.Jobs;
import dev.dibs.contract.support.Warnings;
import dev.dibs.database.FaultyDataSource;
import dev.dibs.database.FullRun;
import dev.dibs.database.FullTest;
import dev.dibs.database.Sql;
import dev.dibs.runs.DeadLetter;
import dev.dibs.runs.Run;
import dev.dibs.runs.RunBuilder;
import dev.dibs.runs.RunWorkers;
import dev.dibs.runs.RunWorkers.End;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

/** Triggers that keep rows as they are, without an error: claims go on behind these rows, and somebody is told. */
@FullRun(except = "mariadb")
class SilentRefusalContract extends ContractFixture {
    private static final Duration A_MINUTE = Duration.ofSeconds(61);

    /** Runs each way on jobs of its own. Its rows 1 to 5 are kept as long as the table of effects is empty. */
    private interface Scene {
        void play(Jobs jobs) throws Exception;
    }

    private void inEachWay(int rows, Scene scene) throws Exception {
        int ways = database().keepsRows("jobs", "1 = 1").size();
        Assumptions.assumeTrue(ways > 0, "no trigger here changes a row silently");
        for (int way = 0; way < ways; way++) {
            try (Jobs jobs = new Jobs(pool(), rows)) {
                String when = "NOT EXISTS (SELECT 1 FROM " + jobs.log() + ")";
                jobs.run(database().keepsRows(jobs.table(), when).get(way).toArray(String[]::new));
                scene.play(jobs);
            }
        }
    }

    private static boolean searches(String sql) {
        return sql.startsWith("SELECT t.id AS dibs_key1");
    }

    private static void letGo(Jobs jobs) throws SQLException {
        jobs.run("INSERT INTO " + jobs.log() + " (id) VALUES (1)");
    }

    @Test
    void aClaimGoesOnBehindThem() throws Exception {
        inEachWay(12, jobs -> {
            JumpingClock clock = new JumpingClock();
            try (Warnings warnings = new Warnings(jobs.table());
                    Dibs dibs = clock.by(builder(pool())).build()) {
                RowClaims<RowKey> claims = jobs.claims(dibs).build();
                Claim<RowKey> first = claims.claim(3);
                if (!database().seesUnmarkedRows()) {
                    assertThat(first.isEmpty()).isTrue();
                    clock.jump(A_MINUTE);
                    first = claims.claim(3);
                }
                assertThat(first.keys()).isEqualTo(keys(6, 7, 8));
                assertThat(claims.claim(3).keys()).isEqualTo(keys(9, 10, 11));
                assertThat(warnings.heard())
                        .filteredOn(line -> line.contains("pass over"))
                        .isNotEmpty()
                        .allMatch(line -> line.contains("RAISE(IGNORE)"));
                assertThat(claims.claim(5).keys()).isEqualTo(keys(12));
            }
            if (!database().seesUnmarkedRows()) {
                return;
            }
            try (Dibs dibs = dibs();
                    Connection connection = pool().getConnection()) {
                jobs.run("UPDATE " + jobs.table() + " SET request_token = NULL, claimed_until = NULL WHERE id > 5");
                connection.setAutoCommit(false);
                RowClaims<RowKey> markers = jobs.markers(dibs).build();
                assertThat(markers.claim(connection, "mine", 3).keys()).isEqualTo(keys(6, 7, 8));
                connection.rollback();
            }
        });
    }

    @Test
    void aRunEndsWithDeadLettersThatCanBeTriedAgain() throws Exception {
        inEachWay(20, jobs -> {
            Run run = here().run(fresh("kept"));
            RowClaims<RowKey> claims = jobs.claims(here()).build();
            assertEnds(End.INCOMPLETE, run.over(claims).batch(5).threads(4).work(row -> {}));
            assertThat(jobs.done()).hasSize(15).allMatch(id -> id > 5);
            assertThat(run.dead(9)).extracting(DeadLetter::key).containsExactlyInAnyOrder("1", "2", "3", "4", "5");
            assertThat(run.errors(9))
                    .hasSize(5)
                    .allMatch(error -> error.message().contains("no error"));
            assertCounts(run, 15, 5);

            assertThat(run.retryDead()).isEqualTo(5);
            assertEnds(End.INCOMPLETE, run.over(claims).batch(5).work(row -> {}));
            assertThat(run.dead(9)).as("they are kept again").hasSize(5);

            letGo(jobs);
            assertThat(run.retryDead()).isEqualTo(5);
            assertEnds(End.FINISHED, run.over(claims).batch(5).work(row -> {}));
            assertThat(jobs.done()).hasSize(20);
        });
    }

    /** And when the database marks them after all, they are dead no longer. */
    @Test
    void aWorkerThatPollsFindsThemWithinAMinute() throws Exception {
        inEachWay(8, jobs -> {
            JumpingClock clock = new JumpingClock();
            try (Dibs dibs = clock.by(builder(pool())).build()) {
                Run run = dibs.run(fresh("polled"));
                try (RunWorkers<?> workers = run.over(jobs.claims(dibs).build())
                        .batch(2)
                        .pollEvery(Duration.ofMillis(100))
                        .work(row -> {})
                        .start()) {
                    await().atMost(LONG).until(() -> run.status().isPresent());
                    clock.jump(A_MINUTE);
                    await().atMost(LONG).until(() -> run.dead(9).size() == 5);
                    await().atMost(LONG).until(() -> jobs.done().size() == 3);
                    assertThat(run.errors(9)).hasSize(5);
                    letGo(jobs);
                    clock.jump(A_MINUTE);
                    await().atMost(LONG).until(() -> jobs.done().size() == 8);
                    await().atMost(LONG).until(() -> run.dead(9).isEmpty());
                    assertThat(workers.failure()).isEmpty();
                }
            }
        });
    }

    /** Each of them is the first of its key, and has another row behind it. */
    @Test
    void aRunByKeyFindsThem() throws Exception {
        inEachWay(13, jobs -> {
            for (int id = 6; id <= 10; id++) {
                jobs.run("UPDATE " + jobs.table() + " SET what = 'job " + (id - 5) + "' WHERE id = " + id);
            }
            Run run = here().run(fresh("keyed"));
            RunWorkers<?> workers = run.over(
                            jobs.claims(here()).perKey("what", 1).build())
                    .batch(2)
                    .threads(2)
                    .work(row -> {})
                    .start();
            await().atMost(LONG).until(() -> run.dead(9).size() == 5);
            await().atMost(LONG).until(() -> jobs.done().size() == 3);
            assertThat(jobs.done()).containsExactly(11L, 12L, 13L);
            assertThat(run.errors(9))
                    .hasSize(5)
                    .allMatch(error -> error.message().contains("no error"));
            letGo(jobs);
            // A worker may be faster.
            assertThat(run.retryDead()).isBetween(0L, 5L);
            assertThat(workers.await(LONG)).isTrue();
            assertThat(workers.await()).isEqualTo(End.FINISHED);
            assertThat(jobs.done()).hasSize(13);
        });
    }

    /** The trigger lets a claim pass. */
    @Test
    void aCompletionWithoutEffectIsAFailedAttempt() throws Exception {
        Assumptions.assumeTrue(database().seesUnmarkedRows(), "a completion tells what it has found before");
        for (boolean joined : new boolean[] {false, true}) {
            Jobs jobs = jobs(10);
            jobs.run(database()
                    .keepsRows(jobs.table(), "NEW.done_at IS NOT NULL")
                    .get(0)
                    .toArray(String[]::new));
            Run run = here().run(fresh("uncompleted"));
            RunBuilder<RowKey> builder =
                    over(run, jobs).batch(4).maxAttempts(2).backoff(Duration.ofMillis(1), Duration.ofMillis(1));
            assertEnds(
                    End.INCOMPLETE,
                    joined ? builder.workInTransaction((row, connection) -> {}) : builder.work(row -> {}));
            assertThat(jobs.done()).containsExactly(6L, 7L, 8L, 9L, 10L);
            assertThat(run.dead(9)).hasSize(5).allMatch(dead -> dead.message().contains("no effect"));
            assertThat(run.errors(20)).hasSize(10);
            assertThat(run.status().orElseThrow().done()).isEqualTo(5);
        }
    }

    /** Of a side table the claim ends, or the row counts as completed. Either way the run does not go on for ever. */
    @Test
    void aRunWhoseCompletionsHaveNoEffectEnds() throws Exception {
        for (boolean side : new boolean[] {false, true}) {
            try (Jobs jobs = new Jobs(pool(), 10);
                    Dibs dibs = closing(
                            builder(pool()).leaseLength(Duration.ofSeconds(1)).build())) {
                List<List<String>> ways = database().keepsRows(jobs.table(), "NEW.done_at IS NOT NULL");
                jobs.run(ways.get(ways.size() - 1).toArray(String[]::new));
                Run run = dibs.run(fresh("uncompleted"));
                ClaimsBuilder claims = side
                        ? dibs.claims(jobs.table())
                                .key("id")
                                .sideTable()
                                .where("done_at IS NULL")
                                .completeSet("done_at = 1")
                        : jobs.claims(dibs);
                AtomicInteger worked = new AtomicInteger();
                RunWorkers<?> workers = run.over(claims.build())
                        .batch(10)
                        .maxAttempts(2)
                        .backoff(Duration.ofMillis(1), Duration.ofMillis(1))
                        .work(row -> worked.incrementAndGet())
                        .start();
                assertThat(workers.await(LONG)).isTrue();
                assertThat(workers.await()).isIn(End.FAILED, End.INCOMPLETE);
                assertThat(worked).hasValueLessThan(60);
                assertThat(run.errors(1)).isNotEmpty();
                assertThat(jobs.done()).containsExactly(6L, 7L, 8L, 9L, 10L);
            }
        }
    }

    /** It delays no other row, and is none even if claims suspect it, since they find no other one. */
    @FullTest(except = "postgresql")
    void aLockedRowIsNone() throws Exception {
        assumeRowLocks();
        Jobs jobs = jobs(6);
        Warnings warnings = closing(new Warnings(jobs.table()));
        Run run = here().run(fresh("locked"));
        RunWorkers<?> workers = over(run, jobs).batch(3).work(row -> {});
        Connection connection = transaction();
        run(connection, "UPDATE " + jobs.table() + " SET what = 'locked' WHERE id = 2");
        workers.start();
        await().atMost(LONG).until(() -> jobs.done().size() == 5);
        Thread.sleep(4000);
        connection.rollback();
        assertThat(workers.await(LONG)).isTrue();
        assertThat(workers.await()).isEqualTo(End.FINISHED);
        assertThat(run.errors(1)).isEmpty();
        assertThat(warnings.heard()).noneMatch(line -> line.contains("pass over"));
    }

    /** A claim need not come to a row if one before it is free again. */
    @Test
    void aRowBehindOneThatIsReleasedIsNone() throws Exception {
        assumeRowLocks();
        Jobs jobs = jobs(11);
        JumpingClock clock = new JumpingClock();
        try (Warnings warnings = new Warnings(jobs.table());
                Dibs dibs = clock.by(builder(faulty())).build();
                Connection one = transaction();
                Connection other = transaction()) {
            RowClaims<RowKey> claims = jobs.claims(dibs).build();
            Sql.on(one).run("UPDATE " + jobs.table() + " SET what = 'locked' WHERE id = 1");
            Sql.on(other).run("UPDATE " + jobs.table() + " SET what = 'locked' WHERE id = 2");
            faulty().on(SilentRefusalContract::searches).here().actBefore(() -> one.rollback());
            clock.jump(A_MINUTE);
            assertThat(claims.claim(10).keys()).containsAll(keys(3, 10, 11)).doesNotContain(RowKey.of(2));
            assertThat(faulty().struck()).hasSize(1);
            assertThat(warnings.heard()).noneMatch(line -> line.contains("pass over"));
            other.rollback();
        }
    }

    /** However many of them there are. */
    @Test
    void aRowBehindManyLockedOnesIsNone() throws Exception {
        assumeRowLocks();
        Jobs jobs = jobs(1_300);
        JumpingClock clock = new JumpingClock();
        try (Warnings warnings = new Warnings(jobs.table());
                Dibs dibs = clock.by(builder(pool())).build();
                Connection connection = transaction()) {
            RowClaims<RowKey> claims = jobs.claims(dibs).build();
            Sql.on(connection).run("UPDATE " + jobs.table() + " SET what = 'locked' WHERE id <= 1200");
            clock.jump(A_MINUTE);
            assertThat(claims.claim(10).keys()).allMatch(key -> key.asLong() > 1_200);
            connection.rollback();
            assertThat(warnings.heard()).noneMatch(line -> line.contains("pass over"));
        }
    }

    /** It would lock rows until the caller's commit. */
    @Test
    void aClaimInTheCallersTransactionDoesNotLookForThem() throws Exception {
        Jobs jobs = jobs(3);
        JumpingClock clock = new JumpingClock();
        try (Dibs dibs = clock.by(builder(faulty())).build();
                Connection connection = faulty().getConnection()) {
            RowClaims<RowKey> claims = jobs.claims(dibs).build();
            faulty().on(SilentRefusalContract::searches).here().delayBefore(Duration.ZERO);
            connection.setAutoCommit(false);
            clock.jump(A_MINUTE);
            assertThat(claims.claim(connection, 9).keys()).hasSize(3);
            assertThat(faulty().struck()).isEmpty();
            connection.rollback();
        }
    }

    /** Its rows are no rows that the database refuses to the second one, which gets no others. */
    @Test
    void anotherCallerWithTheSameTokenIsNone() throws Exception {
        for (boolean perKey : new boolean[] {false, true}) {
            Jobs jobs = jobs(12);
            FaultyDataSource faulty = new FaultyDataSource(pool());
            JumpingClock clock = new JumpingClock();
            try (Warnings warnings = new Warnings(jobs.table());
                    Dibs dibs = clock.by(builder(faulty)).build()) {
                RowClaims<RowKey> claims = claims(jobs, dibs, perKey);
                RowClaims<RowKey> before = claims(jobs, here(), perKey);
                faulty.on(sql -> sql.contains(jobs.table())).here().actAfter(() -> before.claim("same", 3));
                clock.jump(A_MINUTE);
                claims.claim("same", 3);
                assertThat(faulty.struck()).hasSize(1);
                assertThat(jobs.numbers("SELECT id FROM " + jobs.table() + " WHERE request_token = 'same'"))
                        .hasSize(3);
                assertThat(warnings.heard()).noneMatch(line -> line.contains("pass over"));
            }
        }
    }

    private static RowClaims<RowKey> claims(Jobs jobs, Dibs dibs, boolean perKey) {
        ClaimsBuilder claims = jobs.claims(dibs);
        return (perKey ? claims.perKey("what", 1) : claims).build();
    }

    /** The second process knows nothing of the first one's search. */
    @Test
    void aRowThatAnotherProcessCompletesLaterIsNoLongerDead() throws Exception {
        inEachWay(8, jobs -> {
            String name = fresh("later");
            try (Dibs first = dibs()) {
                assertEnds(
                        End.INCOMPLETE,
                        first.run(name)
                                .over(jobs.claims(first).build())
                                .batch(5)
                                .work(row -> {}));
                assertThat(first.run(name).dead(9)).hasSize(5);
            }
            letGo(jobs);
            try (Dibs second = dibs()) {
                Run run = second.run(name);
                assertEnds(
                        End.FINISHED,
                        run.over(jobs.claims(second).build()).batch(5).work(row -> {}));
                assertThat(jobs.done()).hasSize(8);
                assertThat(run.dead(9)).isEmpty();
            }
        });
    }
}
