package dev.dibs.internal.claims.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.dibs.internal.sql.files.KeyKind;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** One value has one text: any other text of it would be lost without an error. */
@Tag("unit")
class KeyTextsTest {

    @Test
    void sixteenBytesAreAUuidAndOthersAreDigits() {
        assertThat(KeyTexts.isOf(KeyKind.BINARY, "123e4567-e89b-12d3-a456-426614174000"))
                .isTrue();
        assertThat(KeyTexts.isOf(KeyKind.BINARY, "123e4567e89b12d3a456426614174000"))
                .isFalse();
        assertThat(KeyTexts.isOf(KeyKind.BINARY, "")).isTrue();
        assertThat(KeyTexts.isOf(KeyKind.BINARY, "00ff")).isTrue();
        assertThat(KeyTexts.isOf(KeyKind.BINARY, "00FF")).isFalse();
        assertThat(KeyTexts.isOf(KeyKind.BINARY, "0ff")).isFalse();
    }
}
