package dev.dibs.internal.acquire.calls;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("unit")
class KnownFencesTest {

    private final KnownFences fences = new KnownFences();

    @Test
    void aFenceIsTakenOnce() {
        fences.put("a", 1);
        fences.put("a", 2);
        assertThat(fences.take("b")).isEqualTo(KnownFences.NONE);
        assertThat(fences.take("a")).isEqualTo(2);
        assertThat(fences.take("a")).isEqualTo(KnownFences.NONE);
    }

    @Test
    void thoseThatWereReleasedLastAreKept() {
        fences.put("first", 1);
        fences.put("second", 1);
        fences.put("first", 2);
        for (int i = 2; i <= KnownFences.MOST; i++) {
            fences.put("other-" + i, i);
        }
        assertThat(fences.take("second")).isEqualTo(KnownFences.NONE);
        assertThat(fences.take("first")).isEqualTo(2);
    }
}
