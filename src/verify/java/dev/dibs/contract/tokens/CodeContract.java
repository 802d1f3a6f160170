package dev.dibs.contract.tokens;

import dev.dibs.Dibs;
import dev.dibs.contract.support.ContractFixture;
import dev.dibs.database.FullTest;
import dev.dibs.tokens.OneTimeTokens;
import dev.dibs.tokens.TokenResult;
import dev.dibs.tokens.TokenStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Short codes: there are so few that they can be guessed, so wrong tries are counted. */
class CodeContract extends ContractFixture {

    private OneTimeTokens codes(Dibs dibs) {
        return dibs.tokens(fresh("code")).pepper(TokenContract.PEPPER).maxAttempts(3, Duration.ofMinutes(15));
    }

    /** Another one of the same length. */
    private static String other(String code) {
        long next = (Long.parseLong(code) + 1) % (long) Math.pow(10, code.length());
        return String.format("%0" + code.length() + "d", next);
    }

    @Test
    void aCodeIsUsedOnce() {
        OneTimeTokens codes = codes(here());
        for (int digits = 6; digits <= 10; digits++) {
            String code = codes.issueCode("ann", TokenContract.TTL, digits, "payload");
            assertThat(code).matches("[0-9]{" + digits + "}");
            assertThat(codes.consumeCode("bob", code).status()).isEqualTo(TokenStatus.UNKNOWN);
            TokenResult used = codes.consumeCode("ann", code);
            assertThat(used.isOk()).isTrue();
            assertThat(used.payload()).hasValue("payload");
            assertThat(codes.consumeCode("ann", code).status()).isEqualTo(TokenStatus.USED);
            assertThat(codes.consumeCode("ann", other(code)).status())
                    .as("a caller that does not know it learns nothing")
                    .isEqualTo(TokenStatus.UNKNOWN);
        }
    }

    @Test
    void wrongOnesAreCountedAndTheLastOneEndsTheCode() {
        OneTimeTokens codes = codes(here());
        String code = codes.issueCode("ann", TokenContract.TTL, 6);
        String wrong = other(code);
        TokenResult first = codes.consumeCode("ann", wrong);
        assertThat(first.status()).isEqualTo(TokenStatus.WRONG);
        assertThat(first.attemptsLeft()).isEqualTo(2);
        assertThat(codes.consumeCode("ann", wrong).attemptsLeft()).isEqualTo(1);
        assertThat(codes.consumeCode("ann", wrong).status()).isEqualTo(TokenStatus.LOCKED);
        TokenResult locked = codes.consumeCode("ann", code);
        assertThat(locked.status()).as("the right one comes too late").isEqualTo(TokenStatus.LOCKED);
        assertThat(locked.when().orElseThrow()).isAfter(Instant.now().plusSeconds(60));
    }

    @Test
    void aRightOneAfterAWrongOneIsGood() {
        OneTimeTokens codes = codes(here());
        String code = codes.issueCode("ann", TokenContract.TTL, 6);
        codes.consumeCode("ann", other(code));
        codes.consumeCode("ann", other(code));
        assertThat(codes.consumeCode("ann", code).isOk()).isTrue();
    }

    @Test
    void aNewCodeDoesNotResetTheCount() {
        OneTimeTokens codes = codes(here());
        for (int i = 0; i < 2; i++) {
            String code = codes.issueCode("ann", TokenContract.TTL, 6);
            assertThat(codes.consumeCode("ann", other(code)).status()).isEqualTo(TokenStatus.WRONG);
        }
        String third = codes.issueCode("ann", TokenContract.TTL, 6);
        assertThat(codes.consumeCode("ann", other(third)).status()).isEqualTo(TokenStatus.LOCKED);
        String fourth = codes.issueCode("ann", TokenContract.TTL, 6);
        assertThat(codes.consumeCode("ann", fourth).status()).isEqualTo(TokenStatus.LOCKED);
        assertThat(codes.consumeCode("bob", codes.issueCode("bob", TokenContract.TTL, 6))
                        .isOk())
                .as("others may")
                .isTrue();
    }

    @FullTest(except = "postgresql")
    void theCountRestartsWithTheNextWindow() throws InterruptedException {
        OneTimeTokens codes = codes(here()).maxAttempts(1, Duration.ofMillis(1500));
        String code = codes.issueCode("ann", TokenContract.TTL, 6);
        assertThat(codes.consumeCode("ann", other(code)).status()).isEqualTo(TokenStatus.LOCKED);
        Thread.sleep(1600);
        assertThat(codes.consumeCode("ann", code).status()).as("it is dead").isEqualTo(TokenStatus.REVOKED);
        assertThat(codes.consumeCode("ann", codes.issueCode("ann", TokenContract.TTL, 6))
                        .isOk())
                .isTrue();
    }

    @Test
    void aNewCodeTakesThePlaceOfTheFormer() {
        OneTimeTokens codes = codes(here());
        String former = codes.issueCode("ann", TokenContract.TTL, 8);
        String code = codes.issueCode("ann", TokenContract.TTL, 8);
        assertThat(codes.consumeCode("ann", former).status()).isEqualTo(TokenStatus.WRONG);
        assertThat(codes.consumeCode("ann", code).isOk()).isTrue();
    }

    @Test
    void aCodeExpires() throws InterruptedException {
        OneTimeTokens codes = codes(here());
        String code = codes.issueCode("ann", Duration.ofMillis(30), 6);
        Thread.sleep(60);
        assertThat(codes.consumeCode("ann", code).status()).isEqualTo(TokenStatus.EXPIRED);
    }

    /** A hundred at once: no more of them count as tries than are allowed, and none succeeds. */
    @Test
    void manyAtOnceGetNoMoreTries() throws Exception {
        OneTimeTokens codes = codes(here());
        String code = codes.issueCode("ann", TokenContract.TTL, 6);
        List<String> guesses =
                Stream.iterate(other(code), CodeContract::other).limit(100).toList();
        Queue<TokenStatus> statuses = new ConcurrentLinkedQueue<>();
        inThreads(10, number -> {
            for (String guess : guesses.subList(10 * number, 10 * number + 10)) {
                statuses.add(codes.consumeCode("ann", guess).status());
            }
        });
        assertThat(statuses).hasSize(100).isSubsetOf(TokenStatus.WRONG, TokenStatus.LOCKED);
        assertThat(statuses).filteredOn(TokenStatus.WRONG::equals).hasSizeLessThanOrEqualTo(2);
        assertThat(codes.consumeCode("ann", code).status()).isEqualTo(TokenStatus.LOCKED);
    }

    @Test
    void oneOfManyGetsTheRightOne() throws Exception {
        OneTimeTokens codes = codes(here());
        String code = codes.issueCode("ann", TokenContract.TTL, 6);
        AtomicInteger ok = new AtomicInteger();
        inThreads(8, number -> {
            for (int i = 0; i < 5; i++) {
                ok.addAndGet(codes.consumeCode("ann", code).isOk() ? 1 : 0);
            }
        });
        assertThat(ok).hasValue(1);
    }
}
