package dev.dibs.console;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Which errors count as equal. */
@Tag("unit")
class AlikeTest {

    @Test
    void numbersIdentifiersAndTheKeyOfTheRowDoNotDistinguishErrors() {
        assertThat(Alike.shape("connect to 10.1.7.5:9000 timed out after 3001 ms", "7"))
                .isEqualTo(Alike.shape("connect to 10.1.7.21:9000 timed out after 3000 ms", "8"))
                .isEqualTo("connect to #.#.#.#:# timed out after # ms");
        assertThat(Alike.shape("no user 6f1e3a52-8d0c-4b7e-9a51-0c2d3e4f5a6b", "x"))
                .isEqualTo(Alike.shape("no user AF1e3a52-8d0c-4b7e-9a51-0c2d3e4f5a6c", "y"))
                .isEqualTo("no user #");
        assertThat(Alike.shape("customer berlin/4 has no address", "berlin/4"))
                .isEqualTo(Alike.shape("customer rome/17 has no address", "rome/17"))
                .isEqualTo("customer # has no address");
    }

    /** A key that is a letter must not remove that letter from every word. */
    @Test
    void onlyWholeWordsAreKeys() {
        assertThat(Alike.shape("a bad failure at a", "a")).isEqualTo("# bad failure at #");
        assertThat(Alike.shape("it is broken", "")).isEqualTo("it is broken");
        assertThat(Alike.shape("costs $1 \\ (x", "$1")).isEqualTo("costs # \\ (x");
    }

    @Test
    void differentWordsAreDifferentErrors() {
        List<Alike<String>> groups = Alike.of(
                List.of("no route to 1", "broken", "no route to 2", "no route to 3"), text -> Alike.shape(text, ""));
        assertThat(groups).extracting(Alike::first).containsExactly("no route to 1", "broken");
        assertThat(groups.get(0).all()).containsExactly("no route to 1", "no route to 2", "no route to 3");
        assertThat(groups).extracting(Alike::id).doesNotHaveDuplicates();
    }
}
