package dev.dibs.console;

import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.LIST;
import static org.awaitility.Awaitility.await;

import dev.dibs.Lease;
import dev.dibs.browser.Chromium;
import dev.dibs.database.FullTest;
import dev.dibs.runs.RunState;
import dev.dibs.runs.RunStatus;
import dev.dibs.runs.RunWorkers;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.awaitility.core.ThrowingRunnable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.openqa.selenium.By;
import org.openqa.selenium.WebElement;

/** The console in a real browser. With -Dconsole.pictures=true it also makes the pictures in docs/reference/console. */
@Tag("browser")
class InChromiumTest {

    private static final int ROWS = 4_000;

    /** The pages that docs/reference/console.md shows. */
    private static final List<String> PICTURES = List.of("overview-light", "run-dark", "locks-phone");

    private static final AtomicReference<String> ROLE = new AtomicReference<>(ConsoleAccess.ADMIN);

    private static Chromium browser;
    private static Stage stage;
    private static ConsoleServer server;
    private static RunWorkers<Long> workers;

    @BeforeAll
    static void open(@TempDir Path directory) throws Exception {
        browser = new Chromium();
        stage = new Stage();
        stage.jobs(ROWS);
        workers = stage.dibs()
                .run("resize-images")
                .over(stage.claims())
                .batch(2)
                .threads(3)
                .maxAttempts(1)
                .work(row -> {
                    if (row % 50 == 7) {
                        throw new IllegalStateException("the image " + row + " is <b>broken</b>");
                    }
                    if (row % 30 == 11) {
                        throw new IOException("connect to 10.1.7." + row % 200 + ":9000 timed out after 3000 ms");
                    }
                    // The run takes more than ten minutes: it must not end before the tests.
                    TimeUnit.MILLISECONDS.sleep(500);
                })
                .start();
        stage.dibs().once("best-sellers").every(ofMinutes(60)).tryRun(lease -> {});
        try {
            stage.dibs().once("nightly-export").every(ofMinutes(60)).tryRun(lease -> {
                throw new IOException("no space left on the device");
            });
        } catch (IOException e) {
            assertThat(e).hasMessageContaining("no space");
        }
        stage.dibs().tokens("password-reset").issue("account-7", ofMinutes(30));
        DibsConsole console = new DibsConsole(
                (request, role) -> role.equals(ROLE.get()), stage.dibs(), System::nanoTime, ofMinutes(1));
        server = new ConsoleServer(directory, "/app", "/console/*", console, false);
    }

    @AfterAll
    static void close() throws Exception {
        if (server != null) {
            workers.close();
            server.close();
            stage.close();
        }
        if (browser != null) {
            browser.close();
        }
    }

    @BeforeEach
    void asAdmin() {
        ROLE.set(ConsoleAccess.ADMIN);
        browser.scheme("light");
        browser.width(1280);
        stage.dibs().run("resize-images").resume("");
    }

    private static void go(String page) {
        browser.driver().get(server.url() + "/app/console/" + page);
    }

    /** The addresses of all pages, and of the run. */
    private static List<String> pages() {
        go("");
        List<String> pages =
                new ArrayList<>(EveryPage.linked(String.valueOf(browser.driver().getPageSource())));
        pages.add("run?name=resize-images");
        return pages;
    }

    private static WebElement find(String css) {
        return browser.driver().findElement(By.cssSelector(css));
    }

    /** The page may change between the look and the click. */
    private static void click(String css) {
        soon(() -> find(css).click());
    }

    private static String text() {
        return find("main").getText();
    }

    private static void soon(ThrowingRunnable assertion) {
        await().atMost(1, TimeUnit.MINUTES).ignoreExceptions().untilAsserted(assertion);
    }

    private static RunStatus run() {
        return stage.dibs().run("resize-images").status().orElseThrow();
    }

    @Test
    void aRunIsPausedAndResumedAndIsSeenToMove() {
        go("run?name=resize-images");
        browser.driver().executeScript("document.body.dataset.same = 'yes'");
        String before = find(".facts").getText();
        soon(() -> assertThat(find(".facts").getText()).as("without a reload").isNotEqualTo(before));
        assertThat(find("body").getDomAttribute("data-same")).isEqualTo("yes");

        find("#reason").sendKeys("the disk is <full>");
        click("form[action^='pause'] button");
        soon(() -> assertThat(text()).contains("'resize-images' is paused", "the disk is <full>"));
        assertThat(run().state()).isEqualTo(RunState.PAUSED);
        click("form[action^='resume'] button");
        soon(() -> assertThat(text()).contains("is running again"));
        assertThat(run().state()).isEqualTo(RunState.RUNNING);
    }

    @FullTest
    void textAndFocusStayWhileThePageChanges() {
        go("run?name=resize-images");
        WebElement reason = find("#reason");
        reason.sendKeys("I am still typ");
        String seen = find(".as-of").getText();
        soon(() -> assertThat(find(".as-of").getText()).isNotEqualTo(seen));
        String later = find(".as-of").getText();
        soon(() -> assertThat(find(".as-of").getText()).isNotEqualTo(later));
        browser.driver().switchTo().activeElement().sendKeys("ing");
        assertThat(reason.getDomProperty("value")).as("the same field").isEqualTo("I am still typing");
    }

    @Test
    void theHeadIsLowOnAPhone() {
        browser.width(390);
        for (String page : pages()) {
            go(page);
            assertThat(find("header").getSize().height).as(page).isLessThan(120);
        }
        assertThat(text()).as("an empty cell has no heading").doesNotContain("Remedy: \n");
    }

    @FullTest
    void losingTheRoleIsReported() {
        go("locks");
        ROLE.set("none");
        soon(() -> assertThat(find("#news").getText()).contains("not logged in any more"));
        go("locks");
        assertThat(text()).contains("No access", "dibs-viewer").doesNotContain("node 7");
    }

    @FullTest
    void nothingSeriousStandsInTheWayOfAnybody() throws Exception {
        try (Lease lease = stage.dibs().lock("sync:customer-7").acquire(ofSeconds(10));
                Lease permit = stage.dibs().semaphore("reports", 3).acquire(ofSeconds(10));
                Lease reader = stage.dibs().readWriteLock("catalogue").read().acquire(ofSeconds(10));
                Lease fair = stage.dibs().lock("nightly-billing").fair().acquire(ofSeconds(10))) {
            assertThat(List.of(lease, permit, reader, fair)).allMatch(Lease::isValid);
            CompletableFuture<Void> waiter = CompletableFuture.runAsync(
                    () -> stage.dibs()
                            .lock("nightly-billing")
                            .fair()
                            .acquire(ofMinutes(5))
                            .close(),
                    task -> new Thread(task).start());
            if (Boolean.getBoolean("console.pictures")) {
                // Until the charts of the pictures have something to show.
                go("run?name=resize-images");
                TimeUnit.SECONDS.sleep(45);
            }
            soon(() -> {
                go("locks");
                assertThat(text()).contains("sync:customer-7", "reports", "catalogue", "1 waits, for");
            });
            for (String page : pages()) {
                String name = page.isEmpty() ? "overview" : page.replaceAll("\\?.*", "");
                for (String look : List.of("light", "dark", "phone")) {
                    browser.scheme(look.equals("dark") ? "dark" : "light");
                    browser.width(look.equals("phone") ? 390 : 1280);
                    go(page);
                    assertThat(browser.barriers()).as(name + ", " + look).isEmpty();
                    Object overflow =
                            browser.driver().executeScript("return document.documentElement.scrollWidth - innerWidth");
                    assertThat((Long) overflow)
                            .as(name + " is too wide, " + look)
                            .isLessThanOrEqualTo(0);
                    String picture = name + "-" + look;
                    if (Boolean.getBoolean("console.pictures") && PICTURES.contains(picture)) {
                        browser.picture(Path.of("docs", "reference", "console", picture + ".png"));
                    }
                }
            }
            ROLE.set("none");
            go("");
            assertThat(browser.barriers()).isEmpty();
            fair.close();
            waiter.get(1, TimeUnit.MINUTES);
        }
    }

    /** Long lists are cut, and the rest is one press away. */
    @FullTest
    void aRunWithManyFailuresIsNoLongerThanAPhoneCanShow() {
        // Equal errors would be one line.
        String different = "CHAR(97 + MOD(x, 26)) || CHAR(97 + x / 26) || REPEAT(' is broken ', 20)";
        stage.execute("INSERT INTO dibs_run SELECT 'broken' AS name, * EXCEPT (name) FROM dibs_run"
                + " WHERE name = 'resize-images'");
        stage.execute("INSERT INTO dibs_run_worker (run, worker, label, started_at, seen_at, done, failed, rate)"
                + " SELECT 'broken', 'w' || x, 'ip-10-20-30-40.eu-central-1.compute.internal:22140/' || x,"
                + " 1700000000000, 9000000000000, 12345, 6, 1000 FROM system_range(1, 40)");
        stage.execute("INSERT INTO dibs_run_row (run, row_key, state, attempts, failed_at, message)"
                + " SELECT 'broken', 'k' || x, 'dead', 5, 1700000000000, " + different + " FROM system_range(1, 200)");
        stage.execute("INSERT INTO dibs_run_error"
                + " (run, id, row_key, attempt, worker, failed_at, error_class, message, stack)"
                + " SELECT 'broken', 'i' || x, 'k' || x, 5, 'ip-10-20-30-40.eu-central-1.compute.internal:22140',"
                + " 1700000000000 + x, 'java.lang.IllegalStateException', " + different + ","
                + " 'at a.B.c(B.java:7)' FROM system_range(1, 200)");
        browser.width(390);
        soon(() -> {
            go("run?name=broken");
            assertThat(text()).contains("Dead rows");
        });
        long height = height();
        assertThat(height).as("with 25 of each it was 22,856").isLessThan(8_000);
        assertThat(text())
                .contains(
                        "40 alive, 0 gone; the first 5 are shown",
                        "The latest 100 of 240 failed attempts, with 100 different errors; the first 5 are shown.",
                        "The oldest 100 of 200 dead rows, with 100 different errors; the first 5 are shown.");
        click("a[href*='all=']");
        soon(() -> assertThat(text())
                .contains("of 240 failed attempts, with 100 different errors.")
                .doesNotContain("the first 5 are shown"));
        for (String table : List.of("dibs_run_worker", "dibs_run_row", "dibs_run_error")) {
            stage.execute("DELETE FROM " + table + " WHERE run = 'broken'");
        }
        stage.execute("DELETE FROM dibs_run WHERE name = 'broken'");
    }

    private static long height() {
        return (Long) browser.driver().executeScript("return document.documentElement.scrollHeight");
    }

    /** Realistic data: long names, long errors. */
    @FullTest
    void nothingIsCutAndAPhoneGetsCards() {
        stage.execute(
                "INSERT INTO dibs_lock (name, owner, holder, fence, acquired_at, held_until) VALUES"
                        + " ('billing:invoices-of-the-month:customer-4711-with-a-long-name', 'o',"
                        + " 'ip-10-20-30-40.eu-central-1.compute.internal:22140', 1764000000000000, 1700000000000, 9000000000000)");
        stage.execute(
                "INSERT INTO dibs_once (name, holder, fence, acquired_at, held_until, succeeded_at, failed_at, error, failures, retry_at)"
                        + " SELECT 'replicate-the-catalogue', 'ip-10-20-30-40.eu-central-1.compute.internal:22140', fence, acquired_at,"
                        + " held_until, succeeded_at, failed_at, 'org.springframework.dao.CannotAcquireLockException: ' || REPEAT('x', 300),"
                        + " failures, retry_at FROM dibs_once WHERE name = 'nightly-export'");
        for (String page : List.of("locks", "onces")) {
            soon(() -> {
                go(page);
                assertThat(text()).contains("ip-10-20");
            });
        }
        for (int width : List.of(390, 1280)) {
            browser.width(width);
            for (String page : List.of("locks", "onces", "run?name=resize-images")) {
                go(page);
                Object cut = browser.driver().executeScript("""
                        const wide = [document.documentElement, ...document.querySelectorAll(".scroll")]
                            .filter((e) => e.scrollWidth > e.clientWidth + 1);
                        const narrow = [...document.querySelectorAll("td.text")].filter((e) => e.clientWidth < 100);
                        return [...wide, ...narrow].map((e) => e.outerHTML.slice(0, 100));
                        """);
                assertThat(cut).as(page + " at " + width).asInstanceOf(LIST).isEmpty();
            }
        }
        stage.execute("DELETE FROM dibs_lock WHERE holder LIKE 'ip-10-20-%'");
        stage.execute("DELETE FROM dibs_once WHERE holder LIKE 'ip-10-20-%'");
    }
}
