package dev.dibs.internal.claims.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.dibs.claims.RowKey;
import dev.dibs.internal.sql.files.KeyKind;
import java.math.BigDecimal;
import java.sql.Timestamp;
import java.time.Instant;
import java.time.LocalDate;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** One value has one text: any other text of it would be lost without an error. */
@Tag("unit")
class ColumnTextTest {
    @Test
    void sixteenBytesAreAUuidAndOthersAreDigits() {
        assertThat(ColumnText.isOf(KeyKind.BINARY, "123e4567-e89b-12d3-a456-426614174000"))
                .isTrue();
        assertThat(ColumnText.isOf(KeyKind.BINARY, "123e4567e89b12d3a456426614174000"))
                .isFalse();
        assertThat(ColumnText.isOf(KeyKind.BINARY, "")).isTrue();
        assertThat(ColumnText.isOf(KeyKind.BINARY, "00ff")).isTrue();
        assertThat(ColumnText.isOf(KeyKind.BINARY, "00FF")).isFalse();
        assertThat(ColumnText.isOf(KeyKind.BINARY, "0ff")).isFalse();
    }

    @Test
    void writtenKeysAreReadBack() {
        for (String text : List.of("", " ", "a", "a,b", "\\", "\\,", ",\\,", "ä\uD83D\uDE00", "'\"")) {
            assertThat(ColumnText.parse(RowKey.of(text).toString(), 1)).isEqualTo(RowKey.of(text));
            for (String other : List.of("", "x,y", "z\\")) {
                RowKey key = RowKey.of(text, other, 7);
                assertThat(ColumnText.parse(key.toString(), 3)).isEqualTo(key);
            }
        }
    }

    @Test
    void twoKeysNeverReadTheSame() {
        assertThat(RowKey.of("a,b", "c").toString())
                .isNotEqualTo(RowKey.of("a", "b,c").toString());
        assertThat(RowKey.of("a\\", "b").toString())
                .isNotEqualTo(RowKey.of("a\\,b", "").toString());
    }

    @Test
    void equalNumbersOfAnyTypeAreOneKey() {
        assertThat(RowKey.of(7))
                .isEqualTo(RowKey.of(7L))
                .isEqualTo(RowKey.of("7"))
                .hasSameHashCodeAs(RowKey.of("7"));
        assertThat(RowKey.of(7)).isNotEqualTo(RowKey.of("07"));
    }

    @Test
    void valuesOfOtherTypesAreRefusedByName() {
        for (Object wrong : List.of(
                Instant.EPOCH, LocalDate.EPOCH, Timestamp.from(Instant.EPOCH), 1.5, List.of(1), RowKey.of(1), 'c')) {
            assertThatThrownBy(() -> RowKey.of(7, wrong))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining(wrong.getClass().getName());
        }
        assertThatThrownBy(() -> RowKey.of(7, null)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void numbersHaveNoExponent() {
        assertThat(RowKey.of(new BigDecimal("1E+3"))).isEqualTo(RowKey.of(1000));
    }

    @Test
    void binaryKeysAreEqualByContentAndGiveCopies() {
        byte[] bytes = {0, (byte) 0xff, 0x27};
        RowKey key = RowKey.of(bytes, 7).part(0);
        assertThat(key).isEqualTo(RowKey.of(bytes.clone())).hasToString("00ff27");
        bytes[0] = 1;
        key.asBytes()[1] = 1;
        assertThat(key.asBytes()).containsExactly(0, 0xff, 0x27);
        assertThat(RowKey.of(new byte[0]).asBytes()).isEmpty();
        UUID uuid = UUID.randomUUID();
        byte[] sixteen = RowKey.of(uuid).asBytes();
        assertThat(RowKey.of(sixteen)).isEqualTo(RowKey.of(uuid));
        assertThat(RowKey.of(sixteen).asUuid()).isEqualTo(uuid);
        assertThatThrownBy(() -> RowKey.of("xy").asBytes()).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void givesTheValueOfOneColumn() {
        UUID uuid = UUID.randomUUID();
        assertThat(RowKey.of("12").asLong()).isEqualTo(12);
        assertThat(RowKey.of(uuid.toString()).asUuid()).isEqualTo(uuid);
        assertThat(RowKey.of(uuid).asText()).isEqualTo(uuid.toString());
        assertThatThrownBy(() -> RowKey.of(1, 2).asLong())
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("2 columns");
        assertThatThrownBy(() -> RowKey.of("x").asLong()).isInstanceOf(NumberFormatException.class);
    }
}
