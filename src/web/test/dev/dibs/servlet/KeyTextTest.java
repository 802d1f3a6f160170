package dev.dibs.servlet;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("unit")
class KeyTextTest {

    @Test
    void aPlainKeyIsAsItIs() {
        for (String key : List.of("7", " a b ", "a:b/c", "\u00e9\uD83D\uDE00", "x".repeat(100))) {
            assertThat(KeyText.of(key, false)).isEqualTo(key);
        }
    }

    @Test
    void othersAreDigestedAndStayApart() {
        List<String> keys = List.of(
                "\0", "\n", "\uD83D", "\uDE00", "?", "\uFFFD", "\u2028", "#", "#?", "x".repeat(101), "x".repeat(102));
        assertThat(keys.stream().map(key -> KeyText.of(key, false)))
                .doesNotHaveDuplicates()
                .allMatch(text -> text.length() <= 100 && text.chars().noneMatch(Character::isISOControl));
        assertThat(KeyText.of("\uD83D", false)).matches("#[\\w-]{43}");
    }

    @Test
    void nobodyCanSendTheDigestOfAnother() {
        String digest = KeyText.of("of-secrets", true);
        assertThat(digest).matches("#[\\w-]{43}");
        assertThat(KeyText.of(digest, false)).isNotEqualTo(digest);
    }
}
