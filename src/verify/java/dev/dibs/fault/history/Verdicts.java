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

    static List<String> broken(Consumer<Story> told) {
        Story story = new Story();
        told.accept(story);
        return CHECKER.broken(story.history(), story.effects());
    }

    static void assertKept(Consumer<Story> told) {
        assertThat(broken(told)).isEmpty();
    }

    static void assertBroken(String reason, Consumer<Story> told) {
        assertThat(broken(told)).isNotEmpty().allMatch(evidence -> evidence.startsWith(reason));
    }
}
