package dev.dibs.internal.values;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("unit")
class StringsTest {

    @ParameterizedTest
    @ValueSource(strings = {" ", " x", "\n", "\r\n", "\n ", "x\n ", " \n", "\t\u2028", "\u0085 x"})
    void looksAtEachCharacterOfAStrangersTextAFewTimes(String piece) {
        CountedText text = new CountedText("x" + piece.repeat(20_000 / piece.length()) + "x");
        Strings.joined(text);
    }

    @Test
    void joinsLinesAndKeepsOtherBlanks() {
        assertThat(Strings.oneLine(" a  b \t\r\n\n  c\u2028d $1 \\ ")).isEqualTo("a  b c d $1 \\");
    }

    @Test
    void writesInAsciiAndCutsNoEscapeCode() {
        assertThat(Strings.ascii("ab\tä\ud83d\ude00", 100)).isEqualTo("ab\t\\u00e4\\ud83d\\ude00");
        assertThat(Strings.ascii("abä", 7)).isEqualTo("ab");
        assertThat(Strings.ascii("abä", 8)).isEqualTo("ab\\u00e4");
    }
}
