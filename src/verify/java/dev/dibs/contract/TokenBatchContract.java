package dev.dibs.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import dev.dibs.Dibs;
import dev.dibs.DibsException;
import dev.dibs.database.CountingDataSource;
import dev.dibs.database.FullRun;
import dev.dibs.tokens.OneTimeTokens;
import dev.dibs.tokens.TokenResult;
import dev.dibs.tokens.TokenStatus;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Consumes that come while others run are sent in batches, and each has the same result as alone. */
@Tag("contract")
class TokenBatchContract extends Fixture {

    /** The statement of a batch. */
    static final Predicate<String> CONSUMES = sql -> sql.contains("asker");

    /** The last statement of a batch of consumes. */
    private Predicate<String> lastConsume() {
        Predicate<String> last = database().lastStepForMany();
        return last.test("COMMIT") ? last : CONSUMES;
    }

    private static List<String> issue(OneTimeTokens tokens, int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> tokens.issue("subject-" + i, TokenContract.TTL, "payload-" + i))
                .toList();
    }

    private static void assertEachHasItsOwn(List<Future<TokenResult>> all) throws Exception {
        for (int i = 0; i < all.size(); i++) {
            TokenResult result = all.get(i).get();
            assertThat(result.status()).isEqualTo(TokenStatus.OK);
            assertThat(result.subject()).hasValue("subject-" + i);
            assertThat(result.payload()).hasValue("payload-" + i);
            assertThat(result.replays()).isZero();
        }
    }

    @Test
    @FullRun(except = "postgresql")
    void whatIsConsumedAtOnceGoesTogetherAndEachIsToldItsOwn() throws Exception {
        try (TokenCrowd crowd = new TokenCrowd(this)) {
            OneTimeTokens resets = crowd.tokens(fresh("resets"));
            OneTimeTokens links = crowd.tokens(fresh("links"));
            List<String> ofResets = issue(resets, 12);
            List<String> ofLinks = issue(links, 3);
            List<Callable<TokenResult>> calls = new ArrayList<>();
            ofResets.forEach(token -> calls.add(() -> resets.consume(token)));
            ofLinks.forEach(token -> calls.add(() -> links.consume(token)));
            calls.add(() -> links.consume(ofResets.get(0)));
            List<Future<TokenResult>> all = crowd.consume(calls);
            crowd.letGo();
            assertEachHasItsOwn(all.subList(0, 12));
            assertEachHasItsOwn(all.subList(12, 15));
            assertThat(all.get(15).get().status()).isEqualTo(TokenStatus.UNKNOWN);
            assertThat(all.get(15).get().subject()).isEmpty();
            assertThat(crowd.sent()).anyMatch(CONSUMES);
            assertThat(crowd.sent().stream().filter(sql -> sql.contains("'used'")))
                    .hasSizeLessThan(16);
            for (int i = 0; i < 12; i++) {
                assertUsed(resets.consume(ofResets.get(i)), all.get(i).get(), 1, false);
            }
        }
    }

    @Test
    @FullRun(except = "postgresql")
    void togetherEachOfThoseThatAreOverIsToldWhy() throws Exception {
        try (TokenCrowd crowd = new TokenCrowd(this)) {
            OneTimeTokens tokens = crowd.tokens(fresh("over"));
            List<String> issued = issue(tokens, 6);
            String expired = tokens.issue("ann", Duration.ofMillis(1));
            tokens.revoke(issued.get(1));
            crowd.letGo();
            TokenResult first = tokens.consume(issued.get(2));
            TokenResult own = tokens.consume(issued.get(3), "attempt-1");
            tokens.consume(issued.get(4), "attempt-1");
            tokens.consume(issued.get(4), "attempt-2");
            Thread.sleep(20);
            crowd.occupy();
            List<Future<TokenResult>> all = crowd.consume(List.of(
                    () -> tokens.consume(expired),
                    () -> tokens.consume(issued.get(1)),
                    () -> tokens.consume(issued.get(2)),
                    () -> tokens.consume(issued.get(3), "attempt-1"),
                    () -> tokens.consume(issued.get(4), "attempt-3"),
                    () -> tokens.consume(issued.get(5), "attempt-1"),
                    () -> tokens.consume("A".repeat(43))));
            crowd.letGo();
            assertThat(all.get(0).get().status()).isEqualTo(TokenStatus.EXPIRED);
            assertThat(all.get(1).get().status()).isEqualTo(TokenStatus.REVOKED);
            assertThat(all.get(1).get().payload()).isEmpty();
            assertUsed(all.get(2).get(), first, 1, false);
            assertUsed(all.get(3).get(), own, 0, true);
            assertThat(all.get(3).get().payload()).hasValue("payload-3");
            assertThat(all.get(4).get().status()).isEqualTo(TokenStatus.USED);
            assertThat(all.get(4).get().replays()).isEqualTo(2);
            assertThat(all.get(5).get().isOk()).isTrue();
            assertThat(all.get(6).get().status()).isEqualTo(TokenStatus.UNKNOWN);
            assertThat(tokens.consume(issued.get(5), "attempt-1").sameAttempt()).isTrue();
            assertThat(crowd.sent()).anyMatch(CONSUMES);
        }
    }

    private static void assertUsed(TokenResult result, TokenResult first, long replays, boolean same) {
        assertThat(result.status()).isEqualTo(TokenStatus.USED);
        assertThat(result.when()).isEqualTo(first.when());
        assertThat(result.replays()).isEqualTo(replays);
        assertThat(result.sameAttempt()).isEqualTo(same);
        assertThat(result.payload().isPresent()).isEqualTo(same);
    }

    /** A used token stays used, whatever the time. */
    @Test
    void aClockThatIsSetBackMakesNoneOfManyLiveAgain() throws Exception {
        try (TokenCrowd crowd = new TokenCrowd(this);
                Connection connection = pool().getConnection();
                PreparedStatement later = connection.prepareStatement(
                        "UPDATE dibs_token SET used_at = used_at + 3600000 WHERE purpose = ? AND ended IS NOT NULL")) {
            OneTimeTokens tokens = crowd.tokens(fresh("back"));
            List<String> issued = issue(tokens, 3);
            tokens.revoke(issued.get(1));
            crowd.letGo();
            tokens.consume(issued.get(2));
            later.setString(1, tokens.purpose());
            assertThat(later.executeUpdate()).isEqualTo(2);
            crowd.occupy();
            List<Future<TokenResult>> all = crowd.consume(tokens, issued);
            crowd.letGo();
            assertThat(all.get(0).get().status()).isEqualTo(TokenStatus.OK);
            assertThat(all.get(1).get().status()).isEqualTo(TokenStatus.REVOKED);
            assertThat(all.get(2).get().status()).isEqualTo(TokenStatus.USED);
            assertThat(crowd.sent()).anyMatch(CONSUMES);
        }
    }

    @Test
    @FullRun(except = "postgresql")
    void ofManyWhoHaveTheSameTokenOneMayUseIt() throws Exception {
        try (TokenCrowd crowd = new TokenCrowd(this)) {
            OneTimeTokens tokens = crowd.tokens(fresh("same"));
            List<String> issued = new ArrayList<>(issue(tokens, 6));
            issued.addAll(Collections.nCopies(5, issued.get(3)));
            List<Future<TokenResult>> all = crowd.consume(tokens, issued);
            crowd.letGo();
            int ok = 0;
            List<Long> replays = new ArrayList<>();
            for (Future<TokenResult> one : all) {
                ok += one.get().isOk() ? 1 : 0;
                if (one.get().status() == TokenStatus.USED) {
                    replays.add(one.get().replays());
                }
            }
            assertThat(ok).isEqualTo(6);
            assertThat(replays).containsExactlyInAnyOrder(1L, 2L, 3L, 4L, 5L);
            assertThat(tokens.peek(issued.get(3)).replays()).isEqualTo(5);
        }
    }

    /** The others are answered while another transaction has one of their tokens; that token's caller learns how the transaction ended. */
    @Test
    @FullRun(except = "postgresql")
    void aTokenThatIsLockedHoldsUpItsOwnCallerAlone() throws Exception {
        for (boolean commits : List.of(true, false)) {
            try (TokenCrowd crowd = new TokenCrowd(this);
                    Connection connection = pool().getConnection()) {
                OneTimeTokens tokens = crowd.tokens(fresh("locked"));
                List<String> issued = issue(tokens, 4);
                connection.setAutoCommit(false);
                assertThat(tokens.consume(connection, issued.get(1)).isOk()).isTrue();
                List<Future<TokenResult>> all = crowd.consume(tokens, issued);
                crowd.letOneGo();
                for (int other : new int[] {0, 2, 3}) {
                    assertThat(all.get(other).get(20, TimeUnit.SECONDS).isOk()).isTrue();
                }
                assertThat(all.get(1)).isNotDone();
                if (commits) {
                    connection.commit();
                } else {
                    connection.rollback();
                }
                assertThat(all.get(1).get(20, TimeUnit.SECONDS).status())
                        .isEqualTo(commits ? TokenStatus.USED : TokenStatus.OK);
                crowd.letGo();
                connection.setAutoCommit(true);
            }
        }
    }

    /** As if all running statements waited for the end of another transaction. */
    @Test
    @FullRun(except = "postgresql")
    void whoQueuesInVainGoesAlone() throws Exception {
        try (TokenCrowd crowd = new TokenCrowd(this)) {
            OneTimeTokens tokens = crowd.tokens(fresh("vain"));
            Future<TokenResult> one = crowd.consume(tokens, issue(tokens, 1)).get(0);
            assertThat(one.get(20, TimeUnit.SECONDS).isOk()).isTrue();
            crowd.letGo();
        }
    }

    @Test
    void tokensWhoseAnswerWasLostAreStillTheirCallers() throws Exception {
        try (TokenCrowd crowd = new TokenCrowd(this)) {
            OneTimeTokens tokens = crowd.tokens(fresh("answer"));
            List<String> issued = issue(tokens, 5);
            crowd.faulty().on(lastConsume()).time(1).loseAnswer();
            List<Future<TokenResult>> all = crowd.consume(tokens, issued);
            crowd.letGo();
            assertEachHasItsOwn(all);
            assertThat(crowd.faulty().struck().stream().filter(lastConsume())).hasSize(1);
            for (String token : issued) {
                assertThat(tokens.consume(token).replays()).isEqualTo(1);
            }
        }
    }

    /** A caller that named its attempt learns later that it was itself. */
    @Test
    @FullRun
    void anAnswerThatNeverComesIsAnErrorAndNoSecondOk() throws Exception {
        try (TokenCrowd crowd = new TokenCrowd(this)) {
            OneTimeTokens tokens = crowd.tokens(fresh("never"));
            List<String> issued = issue(tokens, 3);
            Predicate<String> queued = sql -> !Thread.currentThread().getName().startsWith("blocker");
            crowd.faulty()
                    .on(lastConsume().or(TokenFaultContract.ANY).and(queued))
                    .always()
                    .loseAnswer();
            List<Future<TokenResult>> all = crowd.consume(issued.stream()
                    .map(token -> (Callable<TokenResult>) () -> tokens.consume(token, "attempt-1"))
                    .toList());
            crowd.letGo();
            for (Future<TokenResult> one : all) {
                assertThatThrownBy(one::get)
                        .isInstanceOf(ExecutionException.class)
                        .cause()
                        .isInstanceOf(DibsException.class);
            }
            crowd.faulty().heal();
            for (String token : issued) {
                TokenResult again = tokens.consume(token, "attempt-1");
                assertThat(again.status()).isEqualTo(TokenStatus.USED);
                assertThat(again.sameAttempt()).isTrue();
                assertThat(again.payload()).isPresent();
                assertThat(tokens.consume(token, "attempt-2").sameAttempt()).isFalse();
            }
        }
    }

    @Test
    @FullRun(except = "postgresql")
    void tokensOfAStatementThatGotLostOrWasRolledBackOrRefusedAreUsedAllTheSame() throws Exception {
        List<String> states = List.of("", "40001", "22P05");
        for (String state : states) {
            try (TokenCrowd crowd = new TokenCrowd(this)) {
                OneTimeTokens tokens = crowd.tokens(fresh("again"));
                List<String> issued = issue(tokens, 4);
                if (state.isEmpty()) {
                    crowd.faulty().on(CONSUMES).time(1).loseStatement();
                } else {
                    crowd.faulty().on(CONSUMES).always().fail(state, 0);
                }
                List<Future<TokenResult>> all = crowd.consume(tokens, issued);
                crowd.letGo();
                assertEachHasItsOwn(all);
                assertThat(crowd.faulty().struck().stream().filter(CONSUMES)).hasSize(1);
            }
        }
    }

    @Test
    @FullRun(except = "postgresql")
    void crowdsOfSeveralInstancesUseEachTokenOnce() throws Exception {
        int count = 90;
        int perInstance = 20;
        String purpose = fresh("crowds");
        HikariDataSource few = few();
        CountingDataSource counting = new CountingDataSource(few);
        List<Dibs> instances = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            instances.add(database().together(builder(counting)).build());
        }
        AtomicIntegerArray used = new AtomicIntegerArray(count);
        AtomicInteger replayed = new AtomicInteger();
        try {
            List<String> issued = issue(instances.get(0).tokens(purpose).purgeEvery(Duration.ZERO), count);
            RaceContract.inThreads(instances.size() * perInstance, number -> {
                OneTimeTokens tokens = instances.get(number % instances.size()).tokens(purpose);
                List<Integer> order =
                        new ArrayList<>(IntStream.range(0, count).boxed().toList());
                Collections.shuffle(order, new Random(number));
                for (int token : order.subList(0, count / 3)) {
                    TokenResult result = tokens.consume(issued.get(token));
                    assertThat(result.status()).isIn(TokenStatus.OK, TokenStatus.USED);
                    if (result.isOk()) {
                        used.incrementAndGet(token);
                    } else {
                        replayed.incrementAndGet();
                    }
                }
            });
            long replays = 0;
            OneTimeTokens tokens = instances.get(0).tokens(purpose);
            for (int i = 0; i < count; i++) {
                assertThat(used.get(i)).as("token " + i).isEqualTo(1);
                replays += tokens.peek(issued.get(i)).replays();
            }
            assertThat(replays).isEqualTo(replayed.get());
        } finally {
            instances.forEach(Dibs::close);
            few.close();
        }
        if (database().batches()) {
            assertThat(counting.statements()).anyMatch(CONSUMES);
        }
    }
}
