package dev.dibs.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.dibs.Lease;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The counts of each kind. */
@Tag("unit")
class OverviewPageTest {

    @Test
    void oneIsSingular() {
        try (Stage stage = new Stage()) {
            stage.jobs(3);
            assertThat(overview(stage)).contains("0</strong> held", "0</strong> once-guards", "0</strong> runs");
            try (Lease lease = stage.dibs().lock("sync").acquire(Duration.ofSeconds(5))) {
                add(stage, "mails");
                assertThat(lease.isValid()).isTrue();
                assertThat(overview(stage)).contains("1</strong> held<", "1</strong> once-guard<", "1</strong> run<");
            }
            add(stage, "letters");
            assertThat(overview(stage)).contains("2</strong> once-guards<", "2</strong> runs<");
        }
    }

    @Test
    void longHeldLeasesAreNotStuck() {
        try (Stage stage = new Stage()) {
            stage.execute("INSERT INTO dibs_permit (name, slot, owner, holder, fence, acquired_at, held_until)"
                    + " VALUES ('reports', 0, 'o', 'node 9', 7, 1700000000000, 9000000000000)");
            assertThat(overview(stage))
                    .contains("</span> permit <a href=\"locks?q=reports\"><bdi>reports</bdi></a>")
                    .contains("<bdi>held for long by node 9</bdi>", "Nothing is stuck");
        }
    }

    /** A run, and work once a period. */
    private static void add(Stage stage, String name) {
        stage.work(name, List.of(), "");
        assertThat(stage.dibs().once(name).every(Duration.ofDays(1)).tryRun(lease -> {}))
                .isNotNull();
    }

    /** Nothing is remembered from the page before. */
    private static String overview(Stage stage) {
        PageRequest.Who who = new PageRequest.Who("", "", false);
        PageRequest pageRequest =
                new PageRequest("", Map.of(), Map.of(), who, false, false, "", Optional.empty(), Optional.empty());
        return new Pages(new Snapshot(stage.dibs(), System::nanoTime))
                .get(pageRequest)
                .body();
    }
}
