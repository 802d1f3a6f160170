package dev.dibs.internal.claims.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.dibs.claims.RowKey;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("unit")
class RowKeyTest {

    @Test
    void writtenKeysAreReadBack() {
        for (String text : List.of("", " ", "a", "a,b", "\\", "\\,", ",\\,", "ä\uD83D\uDE00", "'\"")) {
            assertThat(RowKeys.parse(RowKey.of(text).toString(), 1)).isEqualTo(RowKey.of(text));
            for (String other : List.of("", "x,y", "z\\")) {
                RowKey key = RowKey.of(text, other, 7);
                assertThat(RowKeys.parse(key.toString(), 3)).isEqualTo(key);
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
    void acceptsTheTypesOfCallers() {
        RowKey key = RowKey.of("a", 1);
        assertThat(RowKeys.from(key)).isSameAs(key);
        assertThat(RowKeys.from(List.of("a", 1))).isEqualTo(key);
        assertThat(RowKeys.from(new Object[] {"a", 1L})).isEqualTo(key);
        assertThat(RowKeys.from("a")).isEqualTo(RowKey.of("a"));
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
