package dev.dibs.contract.tokens;

import dev.dibs.contract.support.ContractFixture;
import dev.dibs.tokens.OneTimeTokens;
import dev.dibs.tokens.TokenStatus;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A token from outside may be any text; the program's own arguments must be valid. */
class TokenInputContract extends ContractFixture {
    private static List<String> nonsense() {
        List<String> texts = new ArrayList<>(Arrays.asList(null, "", " ", "x", "' OR 1=1 --", "漢".repeat(43)));
        for (String end : List.of("", "AA", "=", "+", " ", "\0", "é")) {
            texts.add("A".repeat(42) + end);
        }
        texts.add("\ud800".repeat(43));
        texts.add("A".repeat(10_000_000));
        return texts;
    }

    @Test
    void malformedTokensAreUnknownWithoutAStatement() {
        OneTimeTokens resets = dibs(counting()).tokens(fresh("purpose")).pepper(TokenContract.PEPPER);
        counting().reset();
        for (String text : nonsense()) {
            assertThat(resets.consume(text).status()).isEqualTo(TokenStatus.UNKNOWN);
            assertThat(resets.consume(text, "attempt").status()).isEqualTo(TokenStatus.UNKNOWN);
            assertThat(resets.peek(text).status()).isEqualTo(TokenStatus.UNKNOWN);
            assertThat(resets.revoke(text)).isFalse();
            assertThat(resets.consumeCode("ann", text).status()).isEqualTo(TokenStatus.UNKNOWN);
        }
        assertThat(counting().statements()).isEmpty();
        assertThat(resets.consume("A".repeat(43)).status()).isEqualTo(TokenStatus.UNKNOWN);
        assertThat(resets.consumeCode("ann", "123456").status()).isEqualTo(TokenStatus.UNKNOWN);
        assertThat(counting().statements()).as("what might be one is asked for").isNotEmpty();
    }

    @Test
    void aTimeToLiveHasBounds() {
        OneTimeTokens resets = here().tokens(fresh("purpose")).pepper(TokenContract.PEPPER);
        for (Duration ttl : List.of(
                Duration.ZERO,
                Duration.ofMillis(-1),
                Duration.ofNanos(1),
                Duration.ofDays(3651),
                Duration.ofSeconds(Long.MAX_VALUE))) {
            assertRejected(() -> resets.issue("ann", ttl), "time to live");
            assertRejected(() -> resets.issueCode("ann", ttl, 6));
        }
        assertThat(resets.consume(resets.issue("ann", Duration.ofDays(3650))).isOk())
                .isTrue();
    }

    @Test
    void namesHaveBoundsAndAreExact() {
        OneTimeTokens resets = here().tokens(fresh("purpose")).pepper(TokenContract.PEPPER);
        Duration ttl = Duration.ofMinutes(1);
        for (String subject : Arrays.asList(null, "", " ann", "ann ", "x".repeat(201), "a\0b", "\ud800")) {
            assertRejected(() -> resets.issue(subject, ttl));
            assertRejected(() -> resets.revokeAll(subject));
            assertRejected(() -> resets.list(subject));
            assertRejected(() -> resets.consumeCode(subject, "123456"));
        }
        for (String purpose : Arrays.asList(null, "", " p", "p\t", "x".repeat(101), "a\0b")) {
            assertRejected(() -> here().tokens(purpose));
        }
        for (String attempt : Arrays.asList(null, "", "x".repeat(201))) {
            assertRejected(() -> resets.consume("A".repeat(43), attempt));
        }
        String longest = "漢".repeat(200);
        assertThat(resets.consume(resets.issue(longest, ttl)).subject()).hasValue(longest);
        String payload = "😀".repeat(2000);
        assertThat(resets.consume(resets.issue("ann", ttl, payload)).payload()).hasValue(payload);
        assertThat(resets.consume(resets.issue("ann", ttl, "")).payload()).hasValue("");
        assertRejected(() -> resets.issue("ann", ttl, payload + "x"), "4000");
        assertRejected(() -> resets.issue("ann", ttl, "a\0b"));
    }

    @Test
    void settingsHaveBounds() {
        OneTimeTokens resets = here().tokens(fresh("purpose"));
        assertRejected(() -> resets.pepper(new byte[15]), "16");
        assertRejected(() -> resets.keepFor(Duration.ofMillis(-1)));
        assertRejected(() -> resets.maxAttempts(0, Duration.ofMinutes(1)));
        assertRejected(() -> resets.maxAttempts(5, Duration.ZERO));
        assertRejected(() -> resets.purgeEvery(Duration.ofSeconds(59)));
        assertThatThrownBy(() -> resets.issueCode("ann", Duration.ofMinutes(1), 6))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("pepper(byte[])");
        for (int digits : List.of(-1, 0, 5, 11)) {
            assertRejected(() -> resets.pepper(TokenContract.PEPPER).issueCode("ann", Duration.ofMinutes(1), digits));
        }
    }

    @Test
    void afterTheCloseNothingIsAsked() {
        OneTimeTokens resets = here().tokens(fresh("purpose"));
        String token = resets.issue("ann", Duration.ofMinutes(1));
        here().close();
        assertThatThrownBy(() -> resets.issue("ann", Duration.ofMinutes(1))).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> resets.consume(token)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> resets.consume(null)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> resets.peek(token)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(resets::purge).isInstanceOf(IllegalStateException.class);
    }
}
