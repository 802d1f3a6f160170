package dev.dibs.console;

import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.dibs.Lease;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The console shows who waits for a lock, as far as the tables know. */
@Tag("unit")
class WaitersTest {

    private final AtomicLong nanos = new AtomicLong();

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
        PageRequest.Who who = new PageRequest.Who("", "", false);
        return pages.get(new PageRequest(
                        "locks", Map.of(), Map.of(), who, false, false, "", Optional.empty(), Optional.empty()))
                .body();
    }
}
