package dev.dibs.console;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Which errors count as equal. */
@Tag("unit")
class ErrorGroupTest {

    @Test
    void numbersIdentifiersAndTheKeyOfTheRowDoNotDistinguishErrors() {
        assertThat(ErrorGroup.shape("connect to 10.1.7.5:9000 timed out after 3001 ms", "7"))
                .isEqualTo(ErrorGroup.shape("connect to 10.1.7.21:9000 timed out after 3000 ms", "8"))
                .isEqualTo("connect to #.#.#.#:# timed out after # ms");
        assertThat(ErrorGroup.shape("no user 6f1e3a52-8d0c-4b7e-9a51-0c2d3e4f5a6b", "x"))
                .isEqualTo(ErrorGroup.shape("no user AF1e3a52-8d0c-4b7e-9a51-0c2d3e4f5a6c", "y"))
                .isEqualTo("no user #");
        assertThat(ErrorGroup.shape("customer berlin/4 has no address", "berlin/4"))
                .isEqualTo(ErrorGroup.shape("customer rome/17 has no address", "rome/17"))
                .isEqualTo("customer # has no address");
    }

    /** A key that is a letter must not remove that letter from every word. */
    @Test
    void onlyWholeWordsAreKeys() {
        assertThat(ErrorGroup.shape("a bad failure at a", "a")).isEqualTo("# bad failure at #");
        assertThat(ErrorGroup.shape("it is broken", "")).isEqualTo("it is broken");
        assertThat(ErrorGroup.shape("costs $1 \\ (x", "$1")).isEqualTo("costs # \\ (x");
    }

    @Test
    void differentWordsAreDifferentErrors() {
        List<ErrorGroup<String>> groups = ErrorGroup.of(
                List.of("no route to 1", "broken", "no route to 2", "no route to 3"),
                text -> ErrorGroup.shape(text, ""));
        assertThat(groups).extracting(ErrorGroup::first).containsExactly("no route to 1", "broken");
        assertThat(groups.get(0).all()).containsExactly("no route to 1", "no route to 2", "no route to 3");
        assertThat(groups).extracting(ErrorGroup::id).doesNotHaveDuplicates();
    }
}
