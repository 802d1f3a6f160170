package dev.dibs.console;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The locks of Dibs' own maintenance are on no page, unless asked for. */
@Tag("unit")
class MaintenanceTest {

    @Test
    void aChoreIsNoLockThatIsHeldForLong() {
        try (Stage stage = new Stage()) {
            stage.execute("INSERT INTO dibs_lock (name, owner, holder, fence, acquired_at, held_until)"
                    + " VALUES ('dibs-purge-tokens:invite', 'o', 'vm:22140', 7, 1700000000000, 9000000000000)");
            AtomicLong nanos = new AtomicLong();
            Pages pages = new Pages(new Snapshot(stage.dibs(), nanos::get));
            assertThat(look(pages, "", Map.of()))
                    .contains("<strong>0</strong> held", "Nothing is stuck")
                    .doesNotContain("invite");
            assertThat(look(pages, "locks", Map.of()))
                    .contains("0 shown", "maintenance of Dibs")
                    .doesNotContain("invite", "in all");
            assertThat(look(pages, "locks", Map.of("kind", "lock"))).doesNotContain("invite");
            assertThat(look(pages, "metrics", Map.of())).contains("dibs_held{kind=\"lock\"} 0.0");
            assertThat(look(pages, "locks", Map.of("kind", "maintenance"))).contains("invite", "vm:22140", "1 shown");
        }
    }

    private static String look(Pages pages, String page, Map<String, String> query) {
        PageRequest.Who who = new PageRequest.Who("ann", "127.0.0.1", true);
        return pages.get(new PageRequest(
                        page, query, Map.of(), who, false, false, "secret", Optional.empty(), Optional.empty()))
                .body();
    }
}
