package dev.dibs.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.dibs.Dibs;
import dev.dibs.DibsException;
import dev.dibs.claims.Claim;
import dev.dibs.claims.ClaimResult;
import dev.dibs.claims.ClaimsBuilder;
import dev.dibs.claims.RowKey;
import dev.dibs.database.FullRun;
import java.sql.Connection;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Predicate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Completions that come while others run are sent in batches, and each has the same result as alone. */
@Tag("contract")
class CompletionBatchContract extends Fixture {

    /** The statement of a batch. */
    static final Predicate<String> COMPLETES = sql -> sql.contains("dibs_asker");

    static final int BLOCKERS = 8;

    private void assumeTogether() {
        assumeTrue(Set.of("h2", "postgresql").contains(database().name()), "here each completion goes alone");
    }

    /** The last statement of a batch of completions. */
    private Predicate<String> lastCompletion() {
        Predicate<String> last = database().lastStepForMany();
        return last.test("COMMIT") ? last : COMPLETES;
    }

    /** Completing increments a counter, so that a second completion shows. */
    static Function<Dibs, ClaimsBuilder> counted(Jobs jobs) {
        return dibs -> jobs.claims(dibs).completeSet("done_at = coalesce(done_at, 0) + 1");
    }

    static void assertCompletedOnce(Jobs jobs, long rows) throws Exception {
        assertThat(jobs.numbers(
                        "SELECT count(*) FROM " + jobs.table() + " WHERE done_at = 1 AND request_token IS NULL"))
                .containsExactly(rows);
    }

    private static void assertEachHasItsOwn(List<Claim<RowKey>> claims, List<Future<ClaimResult>> all)
            throws Exception {
        for (int i = 0; i < all.size(); i++) {
            assertThat(all.get(i).get().done())
                    .containsExactlyElementsOf(claims.get(i).keys());
            assertThat(all.get(i).get().lost()).isEmpty();
            assertThat(claims.get(i).isHeld(claims.get(i).keys().get(0))).isFalse();
        }
    }

    @Test
    @FullRun
    void completionsThatComeAtOnceGoTogetherAndEachIsToldItsOwn() throws Exception {
        assumeTogether();
        try (Jobs jobs = new Jobs(pool(), 64 + 6 + BLOCKERS);
                CompletionCrowd crowd = new CompletionCrowd(this, counted(jobs))) {
            List<Claim<RowKey>> claims = new ArrayList<>(crowd.claim(61, 1));
            claims.addAll(crowd.claim(3, 3));
            crowd.occupy();
            List<Future<ClaimResult>> all = crowd.complete(claims);
            crowd.letGo();
            assertEachHasItsOwn(claims, all);
            assertCompletedOnce(jobs, 64 + 6 + BLOCKERS);
            if (crowd.inTime()) {
                assertThat(crowd.sent()).anyMatch(COMPLETES).hasSizeLessThan(20);
            }
        }
    }

    @Test
    @FullRun(except = "postgresql")
    void deletionsThatComeAtOnceGoTogether() throws Exception {
        assumeTogether();
        try (Jobs jobs = new Jobs(pool(), 13 + BLOCKERS);
                CompletionCrowd crowd =
                        new CompletionCrowd(this, dibs -> jobs.claims(dibs).completeDelete())) {
            List<Claim<RowKey>> claims = crowd.claim(12, 1);
            crowd.claims().release(claims.get(3).token());
            Claim<RowKey> stays = crowd.claims().claim(1);
            crowd.occupy();
            List<Future<ClaimResult>> all = crowd.complete(claims);
            crowd.letGo();
            for (int i = 0; i < all.size(); i++) {
                assertThat(all.get(i).get().done()).hasSize(i == 3 ? 0 : 1);
            }
            assertThat(stays.renew().done()).hasSize(1);
            assertThat(jobs.numbers("SELECT count(*) FROM " + jobs.table())).containsExactly(2L);
            if (crowd.inTime()) {
                assertThat(crowd.sent()).anyMatch(COMPLETES).hasSizeLessThan(12 + BLOCKERS);
            }
        }
    }

    /** The database pads the token; the caller's token is not padded. */
    @Test
    @FullRun(except = "postgresql")
    void aTokenInAColumnOfAFixedLengthIsOnesOwn() throws Exception {
        assumeTogether();
        try (Jobs jobs = new Jobs(pool(), 4 + BLOCKERS)) {
            jobs.run("ALTER TABLE " + jobs.table() + " ALTER COLUMN request_token SET DATA TYPE char(40)");
            try (CompletionCrowd crowd = new CompletionCrowd(this, counted(jobs))) {
                List<Claim<RowKey>> claims = crowd.claim(4, 1);
                crowd.occupy();
                List<Future<ClaimResult>> all = crowd.complete(claims);
                crowd.letGo();
                assertEachHasItsOwn(claims, all);
                assertCompletedOnce(jobs, 4 + BLOCKERS);
            }
        }
    }

    @Test
    @FullRun(except = "postgresql")
    void keysOfSeveralColumnsGoTogether() throws Exception {
        assumeTogether();
        try (KeyTable table = new KeyTable(
                pool(),
                fresh("together"),
                name -> "\"" + name + "\"",
                "part varchar(60) NOT NULL, no int NOT NULL, id bigint NOT NULL",
                "part, no, id")) {
            for (String part : List.of("a", "b, \\ \"c\"")) {
                for (int no = 1; no <= 10; no++) {
                    table.insert(part, no, Long.MAX_VALUE - no);
                }
            }
            try (CompletionCrowd crowd = new CompletionCrowd(this, table::claims)) {
                List<Claim<RowKey>> claims = crowd.claim(6, 2);
                crowd.occupy();
                List<Future<ClaimResult>> all = crowd.complete(claims);
                crowd.letGo();
                assertEachHasItsOwn(claims, all);
                assertThat(table.countDone()).isEqualTo(12 + BLOCKERS);
                if (crowd.inTime()) {
                    assertThat(crowd.sent()).anyMatch(COMPLETES);
                }
            }
        }
    }

    /** The other claims are answered while another transaction has one row locked; of that row's claim, no row is completed without it. */
    @Test
    @FullRun(except = "postgresql")
    void aRowThatIsLockedHoldsUpItsOwnClaimAlone() throws Exception {
        assumeTogether();
        for (String option : List.of("completeSet", "completeDelete")) {
            try (Jobs jobs = new Jobs(pool(), 8 + BLOCKERS);
                    CompletionCrowd crowd = new CompletionCrowd(
                            this,
                            dibs -> option.equals("completeDelete")
                                    ? jobs.claims(dibs).completeDelete()
                                    : counted(jobs).apply(dibs));
                    Connection other = pool().getConnection();
                    Statement lock = other.createStatement()) {
                List<Claim<RowKey>> claims = crowd.claim(4, 2);
                other.setAutoCommit(false);
                lock.executeUpdate("UPDATE " + jobs.table() + " SET what = what WHERE id = "
                        + claims.get(1).keys().get(1));
                crowd.occupy();
                List<Future<ClaimResult>> all = crowd.complete(claims);
                crowd.letOneGo();
                for (int free : new int[] {0, 2, 3}) {
                    assertThat(all.get(free).get(30, TimeUnit.SECONDS).done()).hasSize(2);
                }
                assertThat(all.get(1)).isNotDone();
                assertThat(jobs.numbers("SELECT id FROM " + jobs.table() + " WHERE done_at IS NULL"))
                        .contains(
                                claims.get(1).keys().get(0).asLong(),
                                claims.get(1).keys().get(1).asLong());
                other.rollback();
                other.setAutoCommit(true);
                crowd.letGo();
                assertEachHasItsOwn(claims, all);
                assertThat(jobs.numbers("SELECT id FROM " + jobs.table() + " WHERE done_at IS NULL"))
                        .isEmpty();
            }
        }
    }

    @Test
    @FullRun(except = "postgresql")
    void whatIsWrongWithTheEffectOfOneIsWrongForItAlone() throws Exception {
        assumeTogether();
        // On H2 the index keeps the row out, but the row itself stays changed.
        String same = "done_at = 1, what = CASE WHEN id = 3 THEN 'job 1' ELSE what END";
        String wrong = "done_at = 100 / (id - 3)";
        for (String effect : database().name().equals("h2") ? List.of(wrong) : List.of(wrong, same)) {
            try (Jobs jobs = new Jobs(pool(), 5 + BLOCKERS)) {
                jobs.run("CREATE UNIQUE INDEX " + jobs.table() + "_what ON " + jobs.table() + " (what)");
                try (CompletionCrowd crowd =
                        new CompletionCrowd(this, dibs -> jobs.claims(dibs).completeSet(effect))) {
                    List<Claim<RowKey>> claims = crowd.claim(5, 1);
                    crowd.occupy();
                    List<Future<ClaimResult>> all = crowd.complete(claims);
                    crowd.letGo();
                    for (int right : new int[] {0, 1, 3, 4}) {
                        assertThat(all.get(right).get().done()).hasSize(1);
                    }
                    assertThatThrownBy(all.get(2)::get)
                            .isInstanceOf(ExecutionException.class)
                            .cause()
                            .isInstanceOf(DibsException.class);
                    assertThat(claims.get(2).renew().done()).containsExactly(RowKey.of(3));
                    assertThat(jobs.done()).hasSize(4 + BLOCKERS).doesNotContain(3L);
                    if (crowd.inTime()) {
                        assertThat(crowd.sent()).anyMatch(COMPLETES);
                    }
                }
            }
        }
    }

    @Test
    @FullRun(except = "postgresql")
    void whatWasLostIsLostForItsOwnClaimAlone() throws Exception {
        assumeTogether();
        try (Jobs jobs = new Jobs(pool(), 6 + BLOCKERS);
                CompletionCrowd crowd = new CompletionCrowd(this, counted(jobs))) {
            List<Claim<RowKey>> claims = crowd.claim(3, 2);
            Claim<RowKey> robbed = claims.get(1);
            crowd.claims().release(robbed.token());
            Claim<RowKey> thief = crowd.claims().claim(1);
            assertThat(thief.keys()).containsExactly(robbed.keys().get(0));
            crowd.occupy();
            List<Future<ClaimResult>> all = crowd.complete(claims);
            crowd.letGo();
            assertThat(all.get(0).get().done()).hasSize(2);
            assertThat(all.get(1).get().done()).isEmpty();
            assertThat(all.get(1).get().lost()).isEqualTo(robbed.keys());
            assertThat(all.get(2).get().done()).hasSize(2);
            assertThat(thief.complete().done()).hasSize(1);
            assertThat(jobs.numbers("SELECT count(*) FROM " + jobs.table() + " WHERE done_at > 1"))
                    .containsExactly(0L);
        }
    }

    @Test
    @FullRun(except = "postgresql")
    void aRowOfAnotherClaimIsNotCompletedForWhoNamesIt() throws Exception {
        assumeTogether();
        try (Jobs jobs = new Jobs(pool(), 4 + BLOCKERS);
                CompletionCrowd crowd = new CompletionCrowd(this, counted(jobs))) {
            List<Claim<RowKey>> claims = crowd.claim(4, 1);
            crowd.occupy();
            List<Future<ClaimResult>> all = crowd.queueAtOnce(List.of(
                    () -> claims.get(0).complete(List.of(1, 2, 3)),
                    () -> claims.get(1).complete(List.of(2)),
                    () -> claims.get(3).complete(List.of(3)),
                    () -> claims.get(3).complete(List.of(4))));
            crowd.letGo();
            assertThat(all.get(0).get().done()).containsExactly(RowKey.of(1));
            assertThat(all.get(0).get().lost()).containsExactly(RowKey.of(2), RowKey.of(3));
            assertThat(all.get(1).get().done()).containsExactly(RowKey.of(2));
            assertThat(all.get(2).get().done()).isEmpty();
            assertThat(all.get(3).get().done()).containsExactly(RowKey.of(4));
            assertThat(claims.get(2).renew().done()).containsExactly(RowKey.of(3));
            assertThat(jobs.done()).hasSize(3 + BLOCKERS).doesNotContain(3L);
            if (crowd.inTime()) {
                assertThat(crowd.sent()).anyMatch(COMPLETES);
            }
        }
    }

    @Test
    @FullRun(except = "postgresql")
    void ofTwoWhoCompleteTheSameRowOneIsToldSo() throws Exception {
        assumeTogether();
        try (Jobs jobs = new Jobs(pool(), 3 + BLOCKERS);
                CompletionCrowd crowd = new CompletionCrowd(this, counted(jobs))) {
            List<Claim<RowKey>> claims = new ArrayList<>(crowd.claim(3, 1));
            claims.add(claims.get(1));
            crowd.occupy();
            List<Future<ClaimResult>> all = crowd.queueAtOnce(claims.stream()
                    .map(claim -> (Callable<ClaimResult>) () -> claim.complete(claim.keys()))
                    .toList());
            crowd.letGo();
            assertThat(all.get(1).get().done().size() + all.get(3).get().done().size())
                    .isEqualTo(1);
            assertCompletedOnce(jobs, 3 + BLOCKERS);
        }
    }

    @Test
    void manyRowsGoAloneAndDoNotQueue() throws Exception {
        assumeTogether();
        try (Jobs jobs = new Jobs(pool(), 101 + BLOCKERS);
                CompletionCrowd crowd = new CompletionCrowd(this, counted(jobs))) {
            Claim<RowKey> many = crowd.claims().claim(101);
            crowd.occupy();
            assertThat(many.complete().done()).hasSize(101);
            assertThat(crowd.sent()).noneMatch(COMPLETES).hasSize(1);
            crowd.letGo();
        }
    }

    @Test
    @FullRun(except = "postgresql")
    void whoQueuesToCompleteInVainGoesAlone() throws Exception {
        assumeTogether();
        try (Jobs jobs = new Jobs(pool(), 1 + BLOCKERS);
                CompletionCrowd crowd = new CompletionCrowd(this, counted(jobs))) {
            List<Claim<RowKey>> claims = crowd.claim(1, 1);
            crowd.occupy();
            Future<ClaimResult> one = crowd.complete(claims).get(0);
            assertThat(one.get(30, TimeUnit.SECONDS).done()).hasSize(1);
            crowd.letGo();
        }
    }

    @Test
    @FullRun(except = "postgresql")
    void whoseAnswerWasLostHasCompletedAllTheSame() throws Exception {
        assumeTogether();
        try (Jobs jobs = new Jobs(pool(), 5 + BLOCKERS);
                CompletionCrowd crowd = new CompletionCrowd(this, counted(jobs))) {
            List<Claim<RowKey>> claims = crowd.claim(5, 1);
            crowd.occupy();
            crowd.faulty().on(lastCompletion()).time(1).loseAnswer();
            List<Future<ClaimResult>> all = crowd.complete(claims);
            crowd.letGo();
            assertEachHasItsOwn(claims, all);
            assertCompletedOnce(jobs, 5 + BLOCKERS);
            if (crowd.inTime()) {
                assertThat(crowd.faulty().struck().stream().filter(lastCompletion()))
                        .hasSize(1);
            }
        }
    }

    @Test
    @FullRun(except = "postgresql")
    void completionsOfAStatementThatGotLostOrWasUndoneAreSentAgain() throws Exception {
        assumeTogether();
        for (String state : List.of("", "40001", "22P05")) {
            try (Jobs jobs = new Jobs(pool(), 4 + BLOCKERS);
                    CompletionCrowd crowd = new CompletionCrowd(this, counted(jobs))) {
                List<Claim<RowKey>> claims = crowd.claim(4, 1);
                crowd.occupy();
                if (state.isEmpty()) {
                    crowd.faulty().on(COMPLETES).time(1).loseStatement();
                } else {
                    crowd.faulty().on(COMPLETES).always().fail(state, 0);
                }
                List<Future<ClaimResult>> all = crowd.complete(claims);
                crowd.letGo();
                assertEachHasItsOwn(claims, all);
                assertCompletedOnce(jobs, 4 + BLOCKERS);
                if (crowd.inTime()) {
                    assertThat(crowd.faulty().struck().stream().filter(COMPLETES))
                            .isNotEmpty();
                }
            }
        }
    }

    /** Up to eight callers at once send their own statements. */
    @Test
    void whoComesAloneSendsAStatementOfItsOwn() throws Exception {
        assumeTogether();
        try (Jobs jobs = new Jobs(pool(), 2);
                CompletionCrowd crowd = new CompletionCrowd(this, counted(jobs))) {
            Claim<RowKey> lost = crowd.claims().claim(2);
            crowd.claims().release(lost.token());
            crowd.forget();
            assertThat(lost.complete().lost()).hasSize(2);
            assertThat(crowd.sent()).hasSize(1).noneMatch(COMPLETES);
        }
    }
}
