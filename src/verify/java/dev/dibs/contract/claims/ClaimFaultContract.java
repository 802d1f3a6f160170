package dev.dibs.contract.claims;

import static org.awaitility.Awaitility.await;

import dev.dibs.DatabaseFailureException;
import dev.dibs.Dibs;
import dev.dibs.DibsException;
import dev.dibs.claims.Claim;
import dev.dibs.claims.ClaimResult;
import dev.dibs.claims.ClaimsBuilder;
import dev.dibs.claims.NextClaim;
import dev.dibs.claims.RowClaims;
import dev.dibs.claims.RowKey;
import dev.dibs.contract.support.Fixture;
import dev.dibs.contract.support.Jobs;
import dev.dibs.contract.support.Warnings;
import dev.dibs.database.FaultyDataSource;
import dev.dibs.database.FullTest;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

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
        FaultyDataSource faulty = new FaultyDataSource(pool());
        Jobs jobs = jobs(4);
        Dibs dibs = dibs(faulty);
        RowClaims<RowKey> claims = jobs.claims(dibs).build();
        faulty.on(database().commitsClaim()).loseAnswer();
        Claim<RowKey> claim = claims.claim(2);
        assertThat(faulty.struck()).hasSize(1);
        assertThat(claim.keys()).containsExactly(RowKey.of(1), RowKey.of(2));
        assertThat(claim.complete().done()).hasSize(2);
    }

    @Test
    void aClaimThatNeverArrivedIsAnErrorAndLeavesNothing() throws Exception {
        FaultyDataSource faulty = new FaultyDataSource(pool());
        Jobs jobs = jobs(2);
        Dibs dibs = dibs(faulty);
        RowClaims<RowKey> claims = jobs.claims(dibs).build();
        faulty.on(database().commitsClaim()).loseStatement();
        assertThatThrownBy(() -> claims.claim(2))
                .isInstanceOf(DatabaseFailureException.class)
                .hasMessageContaining("token");
        assertThat(claims.claim(2).size()).isEqualTo(2);
    }

    /** However long the database is away, and however often it is called meanwhile. */
    @FullTest(except = "postgresql")
    void anOutageIsWorthOneWarning() throws Exception {
        FaultyDataSource faulty = new FaultyDataSource(pool());
        Jobs jobs = jobs(4);
        Dibs dibs = closing(oftenRenewed(faulty).build());
        Warnings warnings = closing(new Warnings("RowClaims[" + jobs.table() + "]"));
        RowClaims<RowKey> claims = jobs.claims(dibs).build();
        Claim<RowKey> one = claims.claim(2);
        Claim<RowKey> another = claims.claim(2);
        faulty.on(sql -> true).always().fail("08006", 0);
        await().until(() -> faulty.struck().size() >= 4);
        assertThat(warnings.heard()).singleElement().asString().contains("failed and is retried");
        faulty.heal();
        // On a machine that stood still the claims have expired, and their rows are free.
        await().until(() -> one.renew().isComplete()
                || another.renew().isComplete()
                || !claims.claim(1).isEmpty());
    }

    /** Others may have its rows already. */
    @FullTest(except = {"postgresql", "h2"})
    void aClaimWhoseAnswerComesAfterItsLeaseIsRepeated() throws Exception {
        FaultyDataSource faulty = new FaultyDataSource(pool());
        Jobs jobs = jobs(2);
        Dibs dibs = dibs(faulty);
        RowClaims<RowKey> claims = jobs.claims(dibs).leaseLength(LEASE).build();
        AtomicLong first = new AtomicLong();
        faulty.on(database().commitsClaim()).actAfter(() -> {
            first.set(jobs.until().get(0));
            Thread.sleep(LEASE.plusMillis(200).toMillis());
            return null;
        });
        Claim<RowKey> claim = claims.claim(2);
        assertThat(faulty.struck()).hasSize(1);
        assertThat(jobs.until()).hasSize(2).allMatch(until -> until > first.get());
        assertThat(claim.complete().done()).hasSize(2);
    }

    /** A token that was abandoned after a lost answer is released in the background, but not while a caller claims with it again. */
    @FullTest(except = "postgresql")
    void aTokenThatIsAskedForAgainAfterALostStatementKeepsItsRows() throws Exception {
        FaultyDataSource faulty = new FaultyDataSource(pool());
        Jobs jobs = jobs(4);
        Dibs dibs = dibs(faulty);
        RowClaims<RowKey> claims =
                jobs.claims(dibs).leaseLength(Duration.ofMinutes(1)).build();
        String token = RowClaims.newToken();
        faulty.on(database().commitsClaim()).loseStatement();
        assertThatThrownBy(() -> claims.claim(token, 2)).isInstanceOf(DatabaseFailureException.class);
        assertThat(faulty.struck()).hasSize(1);
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
                .leaseLength(Duration.ofMinutes(1))
                .completeSet("done_at = coalesce(done_at, 0) + 1")
                .build();
    }

    @Test
    void aCompletionWhoseAnswerWasLostIsReportedDone() throws Exception {
        FaultyDataSource faulty = new FaultyDataSource(pool());
        Jobs jobs = jobs(3);
        Claim<RowKey> claim = counting(jobs, dibs(faulty)).claim(2);
        faulty.on(commitsCompletion()).loseAnswer();
        ClaimResult result = claim.complete();
        assertThat(faulty.struck()).hasSize(1);
        assertThat(result.done()).hasSize(2);
        assertThat(result.lost()).isEmpty();
        assertThat(jobs.numbers("SELECT done_at FROM " + jobs.table() + " ORDER BY id")
                        .subList(0, 2))
                .containsExactly(1L, 1L);
    }

    /** A row that was released before cannot have been completed by the statement whose answer was lost. */
    @Test
    void releasedRowsAreNotReportedDoneAfterALostAnswer() throws Exception {
        FaultyDataSource faulty = new FaultyDataSource(pool());
        Jobs jobs = jobs(3);
        Dibs dibs = dibs(faulty);
        RowClaims<RowKey> claims =
                jobs.claims(dibs).leaseLength(Duration.ofMinutes(1)).build();
        for (boolean turns : new boolean[] {false, true}) {
            Claim<RowKey> claim = claims.claim(2);
            RowKey released = claim.keys().get(0);
            RowKey kept = claim.keys().get(1);
            claim.release(List.of(released));
            faulty.on(turns ? database().commitsTurn() : commitsCompletion()).loseStatement();
            ClaimResult result =
                    turns ? claim.completeAndClaim(claim.keys(), 1).completed() : claim.complete(claim.keys());
            assertThat(result.done()).containsExactly(kept);
            assertThat(result.lost()).containsExactly(released);
        }
        assertThat(faulty.struck()).hasSize(2);
    }

    /** It was completed, and the claim has expired since: LOST would mean that nothing was changed. */
    @FullTest(except = "postgresql")
    void aLostAnswerThatCanNotBeMadeUpForInTimeIsAnError() throws Exception {
        FaultyDataSource faulty = new FaultyDataSource(pool());
        Jobs jobs = jobs(2);
        Dibs dibs = dibs(faulty);
        RowClaims<RowKey> claims =
                jobs.claims(dibs).leaseLength(Duration.ofSeconds(1)).build();
        Claim<RowKey> claim = claims.claim(1);
        faulty.on(commitsCompletion()).here().loseAnswer();
        faulty.on(commitsCompletion()).here().time(2).delayBefore(Duration.ofSeconds(3));
        assertThatThrownBy(() -> claim.complete(claim.keys()))
                .isInstanceOf(DatabaseFailureException.class)
                .hasMessageContaining("[1]")
                .hasMessageContaining("not known");
        assertThat(jobs.done()).containsExactly(1L);
    }

    /** No other claim has the rows, so they can still be completed; but nothing kept other claims out, either. */
    @FullTest(except = "postgresql")
    void aLostAnswerAfterTheClaimHasExpiredIsAnError() throws Exception {
        FaultyDataSource faulty = new FaultyDataSource(pool());
        Jobs jobs = jobs(2);
        Dibs dibs = dibs(faulty);
        RowClaims<RowKey> claims =
                jobs.claims(dibs).leaseLength(Duration.ofSeconds(1)).build();
        for (boolean turns : new boolean[] {false, true}) {
            Claim<RowKey> claim = claims.claim(1);
            List<RowKey> keys = claim.keys();
            AtomicReference<List<RowKey>> lost = new AtomicReference<>();
            claim.onLost(lost::set);
            faulty.on(sql -> true).always().fail("08006", 0);
            await().until(() -> lost.get() != null);
            faulty.heal();
            faulty.on(turns ? database().commitsTurn() : commitsCompletion())
                    .here()
                    .loseAnswer();
            assertThatThrownBy(() -> {
                        ClaimResult result =
                                turns ? claim.completeAndClaim(keys, 1).completed() : claim.complete(keys);
                        throw new AssertionError("it is known: " + result);
                    })
                    .isInstanceOf(DatabaseFailureException.class)
                    .hasMessageContaining(keys.toString())
                    .hasMessageContaining("not known");
        }
        assertThat(jobs.done()).containsExactly(1L, 2L);
    }

    /** The same if a renewal succeeded, but too late. */
    @Test
    void aLostAnswerAfterALateRenewalIsAnError() throws Exception {
        FaultyDataSource faulty = new FaultyDataSource(pool());
        Jobs jobs = jobs(1);
        Dibs dibs = dibs(faulty);
        Claim<RowKey> claim =
                jobs.claims(dibs).leaseLength(Duration.ofMinutes(1)).build().claim(1);
        jobs.run("UPDATE " + jobs.table() + " SET claimed_until = 1");
        assertThat(claim.renew().lost()).containsExactly(RowKey.of(1));
        faulty.on(commitsCompletion()).loseAnswer();
        assertThatThrownBy(() -> claim.complete(List.of(RowKey.of(1))))
                .isInstanceOf(DatabaseFailureException.class)
                .hasMessageContaining("not known");
        assertThat(jobs.done()).containsExactly(1L);
    }

    @Test
    void aTurnWhoseAnswerWasLostIsDoneOnce() throws Exception {
        FaultyDataSource faulty = new FaultyDataSource(pool());
        Jobs jobs = jobs(4);
        Claim<RowKey> claim = counting(jobs, dibs(faulty)).claim(2);
        faulty.on(database().commitsTurn()).loseAnswer();
        NextClaim<RowKey> turn = claim.completeAndClaim(1);
        assertThat(faulty.struck()).hasSize(1);
        assertThat(turn.completed().done()).containsExactly(RowKey.of(1), RowKey.of(2));
        assertThat(turn.next().size()).isEqualTo(1);
        assertThat(claim.isHeld(RowKey.of(1))).isFalse();
        assertThat(jobs.done()).containsExactly(1L, 2L);
    }

    @Test
    void theSameTokenAgainAfterALostAnswer() throws Exception {
        FaultyDataSource faulty = new FaultyDataSource(pool());
        Jobs jobs = jobs(4);
        Dibs first = dibs(faulty);
        String token = RowClaims.newToken();
        RowClaims<RowKey> broken =
                jobs.claims(first).leaseLength(Duration.ofMinutes(1)).build();
        faulty.on(database().commitsClaim()).loseAnswer();
        List<RowKey> rows = broken.claim(token, 2).keys();
        assertThat(jobs.claims(there()).build().claim(token, 2).keys())
                .isEqualTo(rows)
                .hasSize(2);
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
        assertThatThrownBy(claim::rows)
                .isExactlyInstanceOf(DibsException.class)
                .hasMessageContaining("row 2")
                .hasMessageContaining("poisoned");
        assertThat(claim.complete(List.of(RowKey.of(1), RowKey.of(3))).isComplete())
                .isTrue();
        claim.close();
        assertThat(claims.claim(1).keys()).containsExactly(RowKey.of(2));
    }

    @Test
    void buildReportsInvalidOptions() throws Exception {
        Jobs jobs = jobs(1);
        wrong(here().claims("no_such_table").key("id").token("request_token"), "no_such_table");
        wrong(here().claims(jobs.table()).key("nokey").token("request_token"), "has no column nokey");
        wrong(here().claims(jobs.table()).key("id").token("notoken"), "has no column notoken");
        wrong(here().claims(jobs.table()).key("id").token("done_at"), "a token needs a text of at least 32");
        wrong(jobs.claims(here()).until("what"), "needs a BIGINT (on SQLite INTEGER) or a DECIMAL");
        wrong(here().claims(jobs.table()).token("request_token"), "need a key");
        wrong(here().claims(jobs.table()).key("id"), "token(column)");
        wrong(here().claims("jobs; DROP TABLE x").key("id").token("request_token"), "is not a table's name");
        assertThatThrownBy(() -> jobs.claims(here()).where("a = 1 -- b")).hasMessageContaining("comment");
        assertThatThrownBy(() -> jobs.claims(here()).where("a = 1; b")).hasMessageContaining("semicolon");
    }

    private static void wrong(ClaimsBuilder builder, String message) {
        assertThatThrownBy(builder::build).hasMessageContaining(message).isInstanceOf(RuntimeException.class);
    }

    @Test
    void argumentsOutOfBoundsAreErrors() throws Exception {
        Jobs jobs = jobs(1);
        RowClaims<RowKey> claims = jobs.claims(here()).build();
        for (int n : new int[] {0, -1, RowClaims.LARGEST_CLAIM + 1}) {
            assertThatThrownBy(() -> claims.claim(n)).hasMessageContaining("between 1 and 10000");
        }
        for (String token : List.of("", "dibs-x", "DIBS-DEAD", "job-A", "a b", "ä", "x".repeat(33))) {
            assertThatThrownBy(() -> claims.claim(token, 1)).isInstanceOf(IllegalArgumentException.class);
        }
        Claim<RowKey> claim = claims.claim(RowClaims.LARGEST_CLAIM);
        assertThat(claim.size()).isEqualTo(1);
        assertThatThrownBy(() -> claim.complete(List.of(RowKey.of(1, 2)))).hasMessageContaining("key columns");
    }

    /** As when the application stops. Its rows would else be reported as not completed. */
    @Test
    void aClaimThatIsClosedMeanwhileDoesNotKnowItsOutcome() throws Exception {
        FaultyDataSource faulty = new FaultyDataSource(pool());
        Jobs jobs = jobs(2);
        Claim<RowKey> claim = jobs.claims(dibs(faulty)).build().claim(2);
        faulty.on(database().commitsClaim()).actAfter(() -> {
            claim.close();
            return null;
        });
        faulty.on(database().commitsClaim()).loseAnswer();
        assertThatThrownBy(() -> claim.complete(claim.keys()))
                .isInstanceOf(DatabaseFailureException.class)
                .hasMessageContaining("is not known");
    }

    /** They may be another's by now. */
    @Test
    void rowsThatAreReleasedMeanwhileDoNotCountAsCompleted() throws Exception {
        FaultyDataSource faulty = new FaultyDataSource(pool());
        Jobs jobs = jobs(2);
        Claim<RowKey> claim = jobs.claims(dibs(faulty)).build().claim(2);
        faulty.on(sql -> sql.contains(jobs.table()))
                .here()
                .actBefore(() -> CompletableFuture.supplyAsync(() -> claim.release(claim.keys()))
                        .get());
        faulty.on(database().commitsClaim()).here().loseAnswer();
        assertThatThrownBy(() -> claim.complete(claim.keys()))
                .isInstanceOf(DatabaseFailureException.class)
                .hasMessageContaining("is not known");
    }
}
