package dev.dibs.console;

import static java.time.Duration.ofSeconds;

import dev.dibs.Lease;
import dev.dibs.junit.Closing;
import dev.dibs.once.Once;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A single page that stays open: everything on it is kept up to date, by a clock that only the test moves. */
@Tag("unit")
class OpenPageTest extends Closing {

    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final Duration POLL = ofSeconds(2);
    private static final Duration SOON = ofSeconds(5);

    private final AtomicLong nanos = new AtomicLong();
    private final Stage stage = closing(new Stage());
    private final Pages pages = new Pages(new Snapshot(stage.dibs(), nanos::get, MINUTE));

    private String look(String page, Map<String, String> query) {
        PageRequest.Who who = new PageRequest.Who("ann", "127.0.0.1", false);
        return pages.get(new PageRequest(
                        page, query, Map.of(), who, false, true, "", Optional.empty(), Optional.empty()))
                .body();
    }

    /** Looks at the page at intervals, until it shows that text, or does not show it; returns how long that took. */
    private Duration until(boolean shown, String text, Duration poll, String page, Map<String, String> query) {
        long start = nanos.get();
        while (look(page, query).contains(text) != shown) {
            Duration waited = Duration.ofNanos(nanos.get() - start);
            assertThat(waited).as("%s shows '%s': %s", page, text, shown).isLessThan(MINUTE);
            pass(poll);
        }
        return Duration.ofNanos(nanos.get() - start);
    }

    /** An open page for this time. */
    private void snapshot(String page, Map<String, String> query, Duration length, Duration poll) {
        for (Duration t = Duration.ZERO; t.compareTo(length) < 0; t = t.plus(poll)) {
            look(page, query);
            pass(poll);
        }
    }

    private void pass(Duration time) {
        nanos.addAndGet(time.toNanos());
    }

    @Test
    void theOverviewSeesALockComeAndGo() {
        snapshot("", Map.of(), ofSeconds(20), POLL);
        try (Lease lease = stage.dibs().lock("a").acquire(ofSeconds(5))) {
            lease.check();
            assertThat(until(true, "<strong>1</strong> held", POLL, "", Map.of()))
                    .isLessThanOrEqualTo(SOON);
            snapshot("", Map.of(), ofSeconds(20), POLL);
        }
        assertThat(until(true, "<strong>0</strong> held", POLL, "", Map.of())).isLessThanOrEqualTo(SOON);
    }

    @Test
    void theOverviewSeesAFailureOfAOnceGuardThatIsMended() {
        Once backup = stage.dibs().once("backup").every(Duration.ofHours(1));
        snapshot("", Map.of(), ofSeconds(20), POLL);
        fail(backup);
        assertThat(until(true, "the disk is full", POLL, "", Map.of())).isLessThanOrEqualTo(SOON);
        snapshot("", Map.of(), ofSeconds(20), POLL);
        assertThat(stage.dibs().once("backup").forget()).isTrue();
        assertThat(until(true, "Nothing is stuck", POLL, "", Map.of())).isLessThanOrEqualTo(SOON);
    }

    private static void fail(Once once) {
        try {
            once.tryRun(lease -> {
                throw new IllegalStateException("the disk is full");
            });
        } catch (IllegalStateException e) {
            assertThat(e).hasMessageContaining("full");
        }
    }

    @Test
    void thePageOfARunSeesItsLatestError() {
        stage.jobs(10);
        stage.work("mails", List.of(3L), "the first cause");
        snapshot("run", Map.of("name", "mails"), ofSeconds(20), POLL);
        stage.execute("UPDATE jobs SET done_at = NULL");
        stage.execute("UPDATE dibs_run_error SET message = 'another cause'");
        assertThat(until(true, "another cause", POLL, "run", Map.of("name", "mails")))
                .isLessThanOrEqualTo(ofSeconds(8));
    }

    @Test
    void eachScrapeOfTheMetricsIsUpToDate() {
        Duration scrape = ofSeconds(15);
        snapshot("metrics", Map.of(), MINUTE, scrape);
        fail(stage.dibs().once("backup").every(Duration.ofHours(1)));
        assertThat(until(true, "dibs_once_failures{once=\"backup\"} 1.0", scrape, "metrics", Map.of()))
                .isLessThanOrEqualTo(scrape);
    }

    @Test
    void noPageStarvesWhileAnotherOneIsOpen() {
        snapshot("", Map.of(), ofSeconds(20), POLL);
        stage.dibs().tokens("invite").issue("ann", Duration.ofMinutes(5));
        look("tokens", Map.of());
        stage.dibs().tokens("reset").issue("ann", Duration.ofMinutes(5));
        for (Duration t = Duration.ZERO; t.compareTo(SOON) < 0; t = t.plus(POLL)) {
            pass(POLL);
            look("", Map.of());
            look("tokens", Map.of());
        }
        assertThat(look("tokens", Map.of())).contains("reset");
    }
}
