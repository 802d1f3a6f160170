package dev.dibs.console;

import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.dibs.Lease;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The counts of each kind, and who waits for a lock, as far as the tables know. The locks of Dibs' own maintenance are on no page, unless
 * asked for.
 */
@Tag("unit")
class OverviewPageTest {
    private final AtomicLong nanos = new AtomicLong();

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
        return look(new Pages(new Snapshot(stage.dibs(), System::nanoTime)), "", Map.of());
    }

    @Test
    void waitersOfFairLocksAndWritersThatWaitAreShown() throws Exception {
        try (Stage stage = new Stage()) {
            Pages pages = new Pages(new Snapshot(stage.dibs(), nanos::get));
            Lease fair = stage.dibs().lock("billing").fair().acquire(ofSeconds(10));
            Lease plain = stage.dibs().lock("sync").acquire(ofSeconds(10));
            Lease reader = stage.dibs().readWriteLock("catalogue").read().acquire(ofSeconds(10));
            CompletableFuture<?> all = CompletableFuture.allOf(
                    waiting(() -> stage.dibs().lock("billing").fair().acquire(ofMinutes(5))),
                    waiting(() -> stage.dibs().lock("billing").fair().acquire(ofMinutes(5))),
                    waiting(() -> stage.dibs().lock("sync").acquire(ofMinutes(5))),
                    waiting(() ->
                            stage.dibs().readWriteLock("catalogue").write().acquire(ofMinutes(5))));
            await().untilAsserted(() -> assertThat(locks(pages))
                    .containsPattern("2 wait, the first for [0-9]+ ?m?s: node 7<")
                    .contains("it waits for 1 reader<"));
            assertThat(locks(pages).split("data-label=\"Waiting\" class=\"text\"", -1))
                    .as("nothing is known of the one that waits for a lock that is not fair")
                    .hasSize(3);
            fair.close();
            plain.close();
            reader.close();
            all.get(5, TimeUnit.MINUTES);
            pages.close();
        }
    }

    private interface Acquire {
        Lease lease();
    }

    private static CompletableFuture<Void> waiting(Acquire acquire) {
        return CompletableFuture.runAsync(() -> acquire.lease().close(), task -> new Thread(task).start());
    }

    private String locks(Pages pages) {
        nanos.addAndGet(TimeUnit.MINUTES.toNanos(1));
        return look(pages, "locks", Map.of());
    }

    @Test
    void aChoreIsNoLockThatIsHeldForLong() {
        try (Stage stage = new Stage()) {
            stage.execute("INSERT INTO dibs_lock (name, owner, holder, fence, acquired_at, held_until)"
                    + " VALUES ('dibs-purge-tokens:invite', 'o', 'vm:22140', 7, 1700000000000, 9000000000000)");
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
