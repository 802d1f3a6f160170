package dev.dibs.fault.history;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** Histories made by hand: the bad ones must be found, and for the right reason; the good ones must pass. */
abstract class Verdicts {
    static final long MS = 1_000_000;
    static final HistoryChecker CHECKER =
            new HistoryChecker(Map.of("s", 2L), Map.of("brief", Duration.ofMillis(50)), Duration.ofMillis(100));

    static List<String> broken(Consumer<Story> steps) {
        Story story = new Story();
        steps.accept(story);
        return CHECKER.broken(story.history(), story.effects());
    }

    static void assertKept(Consumer<Story> steps) {
        assertThat(broken(steps)).isEmpty();
    }

    static void assertBroken(String reason, Consumer<Story> steps) {
        assertThat(broken(steps)).isNotEmpty().allMatch(evidence -> evidence.startsWith(reason));
    }
}
