package dev.dibs.contract.claims;

import static org.awaitility.Awaitility.await;

import dev.dibs.Dibs;
import dev.dibs.JumpingClock;
import dev.dibs.claims.Claim;
import dev.dibs.claims.ClaimResult;
import dev.dibs.claims.ClaimsBuilder;
import dev.dibs.claims.NextClaim;
import dev.dibs.claims.RowClaims;
import dev.dibs.claims.RowKey;
import dev.dibs.contract.support.Fixture;
import dev.dibs.contract.support.Jobs;
import dev.dibs.contract.support.Warnings;
import dev.dibs.database.FullTest;
import dev.dibs.database.Sql;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Claims when answers are lost, rows cannot be read, or the user's SQL is wrong. */
@Tag("fault")
class ClaimFaultContract extends Fixture {
    static final Predicate<String> COMMIT = "COMMIT"::equals;

    /** The same for a completion. */
    Predicate<String> commitsCompletion() {
        return database().commitsClaim();
    }

    @Test
    void aClaimWhoseAnswerWasLostIsAdopted() throws Exception {
        Jobs jobs = jobs(4);
        RowClaims<RowKey> claims = jobs.claims(overFaulty()).build();
        faulty().on(database().commitsClaim()).loseAnswer();
        Claim<RowKey> claim = claims.claim(2);
        assertThat(faulty().struck()).hasSize(1);
        assertThat(claim.keys()).isEqualTo(keys(1, 2));
        assertThat(jobs.claims(there()).build().claim(claim.token(), 2).keys())
                .as("asked for again by another process")
                .isEqualTo(claim.keys());
        assertThat(claim.complete().done()).hasSize(2);
    }

    @Test
    void aClaimThatNeverArrivedIsAnErrorAndLeavesNothing() throws Exception {
        Jobs jobs = jobs(2);
        RowClaims<RowKey> claims = jobs.claims(overFaulty()).build();
        faulty().on(database().commitsClaim()).loseStatement();
        assertFails(() -> claims.claim(2), "token");
        assertThat(claims.claim(2).size()).isEqualTo(2);
    }

    /** They end by no time, so nobody would ever get them. */
    @FullTest(except = "postgresql")
    void rowsWithoutATermAreReleasedHoweverLongThatTakes() throws Exception {
        assumeRowLocks();
        Jobs jobs = jobs(2);
        JumpingClock clock = new JumpingClock();
        Dibs dibs = closing(clock.by(builder(pool())).build());
        Warnings warnings = closing(new Warnings("Rows of " + jobs.table()));
        Claim<RowKey> claim = jobs.markers(dibs).build().claim(2);
        try (Connection other = pool().getConnection()) {
            other.setAutoCommit(false);
            Sql.on(other).change("UPDATE " + jobs.table() + " SET what = 'locked' WHERE id = 1");
            claim.close();
            clock.jump(Duration.ofSeconds(31));
            await().atMost(LONG).until(() -> !warnings.heard().isEmpty());
            other.rollback();
            other.setAutoCommit(true);
        }
        await().atMost(LONG)
                .until(() -> jobs.markers(there()).build().claim(2).keys().contains(RowKey.of(1)));
        assertThat(warnings.heard()).singleElement().asString().contains(claim.token(), "are not released yet");
    }

    /** Another process may claim with it. */
    @FullTest(except = "postgresql")
    void rowsOfATokenThatTheCallerKnowsAreNotReleasedForLonger() throws Exception {
        Jobs jobs = jobs(2);
        JumpingClock clock = new JumpingClock();
        Dibs dibs = closing(clock.by(builder(faulty())).build());
        String token = fresh("known");
        Claim<RowKey> claim = jobs.markers(dibs).build().claim(token, 1);
        faulty().on(sql -> sql.contains("request_token")).always().fail("08006", 0);
        claim.close();
        clock.jump(Duration.ofSeconds(31));
        await().until(() -> faulty().struck().size() >= 2);
        faulty().heal();
        assertThat(jobs.markers(there()).build().claim(token, 1).keys()).isEqualTo(keys(1));
        // Longer than the pause between two tries.
        Thread.sleep(6_000);
        assertThat(jobs.numbers("SELECT id FROM " + jobs.table() + " WHERE request_token = '" + token + "'"))
                .containsExactly(1L);
    }

    /** However long the database is away, and however often it is called meanwhile. */
    @FullTest(except = "postgresql")
    void anOutageIsWorthOneWarning() throws Exception {
        Jobs jobs = jobs(4);
        Dibs dibs = closing(oftenRenewed(faulty()).build());
        Warnings warnings = closing(new Warnings("RowClaims[" + jobs.table() + "]"));
        RowClaims<RowKey> claims = jobs.claims(dibs).build();
        Claim<RowKey> one = claims.claim(2);
        Claim<RowKey> another = claims.claim(2);
        faulty().on(sql -> true).always().fail("08006", 0);
        await().until(() -> faulty().struck().size() >= 4);
        assertThat(warnings.heard()).singleElement().asString().contains("failed and is retried");
        faulty().heal();
        // On a machine that stood still the claims have expired, and their rows are free.
        await().until(() -> one.renew().isComplete()
                || another.renew().isComplete()
                || !claims.claim(1).isEmpty());
    }

    /** Others may have its rows already. */
    @FullTest(except = {"postgresql", "h2"})
    void aClaimWhoseAnswerComesAfterItsLeaseIsRepeated() throws Exception {
        Jobs jobs = jobs(2);
        RowClaims<RowKey> claims = jobs.claims(overFaulty()).leaseLength(LEASE).build();
        AtomicLong first = new AtomicLong();
        faulty().on(database().commitsClaim()).actAfter(() -> {
            first.set(jobs.until().get(0));
            Thread.sleep(LEASE.plusMillis(200).toMillis());
        });
        Claim<RowKey> claim = claims.claim(2);
        assertThat(faulty().struck()).hasSize(1);
        assertThat(jobs.until()).hasSize(2).allMatch(until -> until > first.get());
        assertThat(claim.complete().done()).hasSize(2);
    }

    /** A token that was abandoned after a lost answer is released in the background, but not while a caller claims with it again. */
    @FullTest(except = "postgresql")
    void aTokenThatIsAskedForAgainAfterALostStatementKeepsItsRows() throws Exception {
        Jobs jobs = jobs(4);
        RowClaims<RowKey> claims = jobs.claims(overFaulty()).build();
        String token = RowClaims.newToken();
        faulty().on(database().commitsClaim()).loseStatement();
        assertFails(() -> claims.claim(token, 2));
        assertThat(faulty().struck()).hasSize(1);
        Claim<RowKey> again = claims.claim(token, 2);
        assertThat(again.size()).isEqualTo(2);
        Thread.sleep(1000);
        assertThat(jobs.numbers("SELECT id FROM " + jobs.table() + " WHERE request_token = '" + token + "'"))
                .as("the background has released nothing")
                .hasSize(2);
        assertThat(again.complete().done()).hasSize(2);
    }

    /** The end of a claim that another process made is not known, so its lease begins with a renewal. */
    @Test
    void aClaimThatWasFoundIsRenewedAtOnce() throws Exception {
        Jobs jobs = jobs(2);
        Connection connection = transaction();
        RowClaims<RowKey> claims =
                jobs.claims(here()).leaseLength(Duration.ofMinutes(10)).build();
        String token = claims.claim(connection, 2).token();
        connection.commit();
        jobs.run("UPDATE " + jobs.table() + " SET claimed_until = claimed_until - 300000");
        String until = "SELECT min(claimed_until) FROM " + jobs.table();
        long before = jobs.numbers(until).get(0);
        try (Claim<RowKey> found = claims.find(token)) {
            assertThat(found.isHeld(RowKey.of(1))).isTrue();
            assertThat(jobs.numbers(until).get(0)).isGreaterThanOrEqualTo(before + 300_000);
        }
        jobs.run("UPDATE " + jobs.table() + " SET request_token = '" + token + "', claimed_until = 1");
        Claim<RowKey> overdue = claims.find(token);
        assertThat(overdue.isHeld(RowKey.of(1))).as("its time is over").isFalse();
    }

    /** Counts how often each row is completed. */
    private static RowClaims<RowKey> counting(Jobs jobs, Dibs dibs) {
        return jobs.claims(dibs)
                .completeSet("done_at = coalesce(done_at, 0) + 1")
                .build();
    }

    @Test
    void aCompletionWhoseAnswerWasLostIsReportedDone() throws Exception {
        Jobs jobs = jobs(3);
        Claim<RowKey> claim = counting(jobs, overFaulty()).claim(2);
        faulty().on(commitsCompletion()).loseAnswer();
        ClaimResult result = claim.complete();
        assertThat(faulty().struck()).hasSize(1);
        assertThat(result.done()).hasSize(2);
        assertThat(result.lost()).isEmpty();
        assertThat(jobs.numbers("SELECT done_at FROM " + jobs.table() + " ORDER BY id")
                        .subList(0, 2))
                .containsExactly(1L, 1L);
    }

    /** A row that was released before cannot have been completed by the statement whose answer was lost. */
    @Test
    void releasedRowsAreNotReportedDoneAfterALostAnswer() throws Exception {
        Jobs jobs = jobs(3);
        RowClaims<RowKey> claims = jobs.claims(overFaulty()).build();
        for (boolean turns : new boolean[] {false, true}) {
            Claim<RowKey> claim = claims.claim(2);
            RowKey released = claim.keys().get(0);
            RowKey kept = claim.keys().get(1);
            claim.release(List.of(released));
            faulty().on(turns ? database().commitsTurn() : commitsCompletion()).loseStatement();
            ClaimResult result =
                    turns ? claim.completeAndClaim(claim.keys(), 1).completed() : claim.complete(claim.keys());
            assertThat(result.done()).containsExactly(kept);
            assertThat(result.lost()).containsExactly(released);
        }
        assertThat(faulty().struck()).hasSize(2);
    }

    /** It was completed, and the claim has expired since: LOST would mean that nothing was changed. */
    @FullTest(except = "postgresql")
    void aLostAnswerThatCanNotBeMadeUpForInTimeIsAnError() throws Exception {
        Jobs jobs = jobs(2);
        RowClaims<RowKey> claims =
                jobs.claims(overFaulty()).leaseLength(Duration.ofSeconds(1)).build();
        Claim<RowKey> claim = claims.claim(1);
        faulty().on(commitsCompletion()).here().loseAnswer();
        faulty().on(commitsCompletion()).here().time(2).delayBefore(Duration.ofSeconds(3));
        assertFails(() -> claim.complete(claim.keys()), "[1]", "not known");
        assertThat(jobs.done()).containsExactly(1L);
    }

    /** No other claim has the rows, so they can still be completed; but nothing kept other claims out, either. */
    @FullTest(except = "postgresql")
    void aLostAnswerAfterTheClaimHasExpiredIsAnError() throws Exception {
        Jobs jobs = jobs(2);
        RowClaims<RowKey> claims =
                jobs.claims(overFaulty()).leaseLength(Duration.ofSeconds(1)).build();
        for (boolean turns : new boolean[] {false, true}) {
            Claim<RowKey> claim = claims.claim(1);
            List<RowKey> keys = claim.keys();
            AtomicReference<List<RowKey>> lost = new AtomicReference<>();
            claim.onLost(lost::set);
            faulty().on(sql -> true).always().fail("08006", 0);
            await().until(() -> lost.get() != null);
            faulty().heal();
            faulty().on(turns ? database().commitsTurn() : commitsCompletion())
                    .here()
                    .loseAnswer();
            assertFails(
                    () -> {
                        ClaimResult result =
                                turns ? claim.completeAndClaim(keys, 1).completed() : claim.complete(keys);
                        throw new AssertionError("it is known: " + result);
                    },
                    keys.toString(),
                    "not known");
        }
        assertThat(jobs.done()).containsExactly(1L, 2L);
    }

    /** The same if a renewal succeeded, but too late. */
    @Test
    void aLostAnswerAfterALateRenewalIsAnError() throws Exception {
        Jobs jobs = jobs(1);
        Claim<RowKey> claim = jobs.claims(overFaulty()).build().claim(1);
        jobs.run("UPDATE " + jobs.table() + " SET claimed_until = 1");
        assertThat(claim.renew().lost()).isEqualTo(keys(1));
        faulty().on(commitsCompletion()).loseAnswer();
        assertFails(() -> claim.complete(keys(1)), "not known");
        assertThat(jobs.done()).containsExactly(1L);
    }

    @Test
    void aTurnWhoseAnswerWasLostIsDoneOnce() throws Exception {
        Jobs jobs = jobs(4);
        Claim<RowKey> claim = counting(jobs, overFaulty()).claim(2);
        faulty().on(database().commitsTurn()).loseAnswer();
        NextClaim<RowKey> turn = claim.completeAndClaim(1);
        assertThat(faulty().struck()).hasSize(1);
        assertThat(turn.completed().done()).isEqualTo(keys(1, 2));
        assertThat(turn.next().size()).isEqualTo(1);
        assertThat(claim.isHeld(RowKey.of(1))).isFalse();
        assertThat(jobs.done()).containsExactly(1L, 2L);
    }

    @Test
    void aRowThatCanNotBeReadDoesNotStrandTheOthers() throws Exception {
        Jobs jobs = jobs(3);
        RowClaims<String> claims = jobs.claims(here()).build(row -> {
            if (row.getLong("id") == 2) {
                throw new IllegalStateException("poisoned");
            }
            return row.getString("what");
        });
        Claim<String> claim = claims.claim(3);
        assertThat(claim.keys()).hasSize(3);
        assertRefused(claim::rows, "row 2", "poisoned");
        assertThat(claim.complete(keys(1, 3)).isComplete()).isTrue();
        claim.close();
        assertThat(claims.claim(1).keys()).isEqualTo(keys(2));
    }

    @Test
    void buildReportsInvalidOptions() throws Exception {
        Jobs jobs = jobs(1);
        wrong(here().claims("no_such_table").key("id").token("request_token"), "no_such_table", "Check that it exists");
        wrong(here().claims(jobs.table()).key("nokey").token("request_token"), "has no column nokey");
        wrong(here().claims(jobs.table()).key("id").token("notoken"), "has no column notoken", jobs.table(), "it has");
        wrong(here().claims(jobs.table()).key("id").token("done_at"), "a token needs a text of at least 32");
        wrong(jobs.claims(here()).until("what"), "needs a BIGINT (on SQLite INTEGER) or a DECIMAL");
        wrong(here().claims(jobs.table()).token("request_token"), "need a key");
        wrong(here().claims(jobs.table()).key("id"), "token(column)");
        wrong(here().claims("jobs; DROP TABLE x").key("id").token("request_token"), "is not a table's name");
        assertThatThrownBy(() -> jobs.claims(here()).where("a = 1 -- b")).hasMessageContaining("comment");
        assertThatThrownBy(() -> jobs.claims(here()).where("a = 1; b")).hasMessageContaining("semicolon");
    }

    private static void wrong(ClaimsBuilder builder, String... parts) {
        assertThatThrownBy(builder::build).hasMessageContainingAll(parts).isInstanceOf(RuntimeException.class);
    }

    @Test
    void argumentsOutOfBoundsAreErrors() throws Exception {
        Jobs jobs = jobs(1);
        RowClaims<RowKey> claims = jobs.claims(here()).build();
        for (int n : new int[] {0, -1, RowClaims.LARGEST_CLAIM + 1}) {
            assertThatThrownBy(() -> claims.claim(n)).hasMessageContaining("between 1 and 10000");
        }
        for (String token : List.of("", "dibs-x", "DIBS-DEAD", "job-A", "a b", "ä", "x".repeat(33))) {
            assertRejected(() -> claims.claim(token, 1));
        }
        assertThat(claims.claim(RowClaims.LARGEST_CLAIM).size()).isEqualTo(1);
    }

    /** As when the application stops. Its rows would else be reported as not completed. */
    @Test
    void aClaimThatIsClosedMeanwhileDoesNotKnowItsOutcome() throws Exception {
        Jobs jobs = jobs(2);
        Claim<RowKey> claim = jobs.claims(overFaulty()).build().claim(2);
        faulty().on(database().commitsClaim()).actAfter(() -> claim.close());
        faulty().on(database().commitsClaim()).loseAnswer();
        assertFails(() -> claim.complete(claim.keys()), "is not known");
    }

    /** They may be another's by now. */
    @Test
    void rowsThatAreReleasedMeanwhileDoNotCountAsCompleted() throws Exception {
        Jobs jobs = jobs(2);
        Claim<RowKey> claim = jobs.claims(overFaulty()).build().claim(2);
        faulty().on(sql -> sql.contains(jobs.table()))
                .here()
                .actBefore(() -> CompletableFuture.supplyAsync(() -> claim.release(claim.keys()))
                        .get());
        faulty().on(database().commitsClaim()).here().loseAnswer();
        assertFails(() -> claim.complete(claim.keys()), "is not known");
    }

    private static final Duration LEASE_LENGTH = Duration.ofMinutes(10);

    /** The database holds their rows for another lease when the caller can no longer rely on them. */
    @ParameterizedTest
    @ValueSource(strings = {"table", "side table", "ranges"})
    void theRowsOfAClaimThatIsSentLateAreFreeForTheNextTry(String way) throws Exception {
        JumpingClock clock = new JumpingClock();
        Dibs dibs = closing(clock.by(builder(faulty())).build());
        ClaimsBuilder builder = switch (way) {
            case "table" -> jobs(6).claims(dibs);
            case "side table" -> sideJobs(6).claims(dibs);
            default -> jobs(6).ranges(dibs);
        };
        RowClaims<RowKey> claims = builder.leaseLength(LEASE_LENGTH).build();
        faulty().on(sql -> true).here().actBefore(() -> clock.jump(LEASE_LENGTH));
        Claim<RowKey> claim = claims.claim(3);
        assertThat(claim.keys()).hasSize(3);
        assertThat(claim.complete().done()).hasSize(3);
        Claim<RowKey> first = claims.claim(1);
        faulty().on(sql -> true).here().actBefore(() -> clock.jump(LEASE_LENGTH));
        Claim<RowKey> late = first.completeAndClaim(2).next();
        assertThat(late.isHeld(RowKey.of(5))).isFalse();
        await("the background releases them").until(() -> claims.claim(2).size() == 2);
    }
}
