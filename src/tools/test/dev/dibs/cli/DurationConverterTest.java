package dev.dibs.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine.TypeConversionException;

@Tag("unit")
class DurationConverterTest {

    @ParameterizedTest
    @CsvSource({
        "0, PT0S",
        "10, PT10S",
        "500ms, PT0.5S",
        "30s, PT30S",
        "10m, PT10M",
        "1h, PT1H",
        "2d, PT48H",
        "1h30m, PT1H30M",
        "1s500ms, PT1.5S",
        "PT1M30S, PT1M30S",
        "P1D, PT24H"
    })
    void reads(String text, Duration expected) {
        assertThat(new DurationConverter().convert(text)).isEqualTo(expected);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "s",
                "5 s",
                "5S",
                "5x",
                "1.5s",
                "-5s",
                "PT-5S",
                "five",
                "99999999999999999999",
                "99999999999999999999s",
                "9223372036854775807d"
            })
    void refuses(String text) {
        assertThatThrownBy(() -> new DurationConverter().convert(text))
                .isInstanceOf(TypeConversionException.class)
                .hasMessageContaining("'" + text + "' is not a duration; write it like 500ms, 30s");
    }

    @Test
    void refusesVeryLongTexts() {
        assertThatThrownBy(() -> new DurationConverter().convert("1s".repeat(1_000_000)))
                .isInstanceOf(TypeConversionException.class)
                .hasMessageContaining("1s1s..' is not a duration");
    }
}
