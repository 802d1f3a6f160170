package dev.dibs.console;

import static org.awaitility.Awaitility.await;

import dev.dibs.contract.support.ContractFixture;
import dev.dibs.contract.support.Jobs;
import dev.dibs.database.FullTest;
import dev.dibs.runs.RunWorkers;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** The console shows how a run goes on, and its failures with equal errors in one line. */
class RunPageContract extends ContractFixture {

    /** The console's clock: a second look must not find the answers of the first one. */
    private final AtomicLong nanos = new AtomicLong();

    @FullTest(except = {"postgresql", "h2"})
    void aFailingRunHasItsChartsAndOneLineForEqualErrors() throws Exception {
        String name = fresh("run");
        CountDownLatch goOn = new CountDownLatch(1);
        Jobs jobs = jobs(60);
        RunWorkers<?> workers = closing(here().run(name)
                .over(jobs.claims(here()).build())
                .batch(5)
                .maxAttempts(1)
                .work(key -> {
                    if (key.asLong() == 31) {
                        goOn.await();
                    }
                    if (key.asLong() % 10 == 3) {
                        throw new IllegalStateException("image " + key.asLong() + " is <b>broken</b>");
                    }
                    if (key.asLong() == 44) {
                        throw new IllegalStateException("no space left");
                    }
                })
                .start());
        Pages pages = new Pages(new Snapshot(here(), nanos::get, Duration.ofMinutes(1)));
        await().until(() -> here().run(name).status().orElseThrow().done() >= 20);
        assertThat(look(pages, name)).contains("The charts begin when").doesNotContain("<svg");
        // The charts begin after four seconds by the database's clock.
        TimeUnit.MILLISECONDS.sleep(4_100);
        goOn.countDown();
        workers.await();
        String page = look(pages, name);
        assertThat(page)
                .contains("aria-label=\"Rows per second from ", "aria-label=\"Failed attempts per minute from ")
                .containsPattern("<path class=\"line\" d=\"M0 [0-9.]+( L[0-9.]+ [0-9.]+)+\"/>")
                .containsPattern("<rect class=\"bar\" x=\"[0-9.]+\" y=\"[0-9.]+\" width=\"[0-9.]+\"");
        assertThat(page)
                .contains("7 failed attempts, with 2 different errors.")
                .contains("class=\"number\">6</td><th scope=\"row\" class=\"text\">"
                        + "<bdi>java.lang.IllegalStateException: image 53 is &lt;b&gt;broken&lt;/b&gt;</bdi>")
                .contains("class=\"number\">1</td><th scope=\"row\" class=\"text\">"
                        + "<bdi>java.lang.IllegalStateException: no space left</bdi>")
                .contains("row <bdi>3</bdi>, attempt 1")
                .contains("7 dead rows, with 2 different errors.")
                .contains("<bdi>3, 13, 23, 33, 43, ..</bdi>");
        pages.close();
    }

    private String look(Pages pages, String run) {
        nanos.addAndGet(Duration.ofMinutes(1).toNanos());
        PageRequest.Who who = new PageRequest.Who("ann", "127.0.0.1", false);
        return pages.get(new PageRequest(
                        "run",
                        Map.of("name", run),
                        Map.of(),
                        who,
                        false,
                        false,
                        "",
                        Optional.empty(),
                        Optional.empty()))
                .body();
    }
}
