package dev.dibs.console;

import dev.dibs.database.FullTest;
import dev.dibs.junit.Closing;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The cost of many open pages for a large database. */
@Tag("unit")
class ConsoleCostTest extends Closing {

    private static final int CLIENTS = 50;
    private static final int LOCKS = 10_000;
    private static final int PAGES_EACH = 10;

    /** The console's clock runs faster than ours. */
    private static final int FASTER = 10;

    private final Stage stage = closing(new Stage());

    @BeforeEach
    void fill() {
        stage.execute("INSERT INTO dibs_lock (name, owner, holder, fence, acquired_at, held_until)"
                + " SELECT 'customer:' || x, 'o' || x, 'node ' || mod(x, 9), x, 1700000000000, 9000000000000"
                + " FROM system_range(1, " + LOCKS + ")");
        stage.execute("INSERT INTO dibs_run (name, state, changed_by, changed_at, reason, batch, rate, max_failures,"
                + " max_percent, forgiven, total, started_at, next_at) VALUES ('huge', 'running', 'somebody', 1700000000000,"
                + " 'started', 100, 0, 0, 0, 0, 1000000, 1700000000000, 0)");
        stage.execute("INSERT INTO dibs_run_worker (run, worker, label, started_at, seen_at, done, failed, rate)"
                + " SELECT 'huge', 'w' || x, 'worker ' || x, 1700000000000, 9000000000000, 12345, 6, 1000"
                + " FROM system_range(1, 40)");
        stage.execute("INSERT INTO dibs_run_row (run, row_key, state, attempts, failed_at, message)"
                + " SELECT 'huge', 'k' || x, 'dead', 5, 1700000000000, 'it is broken' FROM system_range(1, 2000)");
    }

    @FullTest
    void fiftyOpenPagesSendFiveStatementsASecondAtMost(@TempDir Path directory) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(CLIENTS);
        DibsConsole console =
                new DibsConsole((request, role) -> true, stage.dibs(), ConsoleCostTest::nanos, Snapshot.PATIENCE);
        try (ConsoleServer server = new ConsoleServer(directory, "", "/console/*", console, false)) {
            Browser first = new Browser(server.url() + "/console/", "");
            List<String> pages = new ArrayList<>(EveryPage.linked(first.page("")));
            pages.addAll(List.of("run?name=huge", "metrics", "locks?format=json"));
            pages.forEach(page -> assertThat(first.get(page).statusCode()).isEqualTo(200));
            List<Browser> browsers = new ArrayList<>();
            for (int i = 0; i < CLIENTS; i++) {
                browsers.add(new Browser(server.url() + "/console/", ""));
            }
            stage.counting().reset();
            long began = nanos();
            List<Future<?>> all = new ArrayList<>();
            for (int i = 0; i < CLIENTS; i++) {
                String page = pages.get(i % pages.size());
                Browser browser = browsers.get(i);
                all.add(threads.submit(() -> poll(browser, page)));
            }
            for (Future<?> one : all) {
                one.get(5, TimeUnit.MINUTES);
            }
            int statements = stage.counting().statements().size();
            double seconds = (nanos() - began) / 1e9;
            assertThat(statements)
                    .as("in %.1f seconds", seconds)
                    .isGreaterThan(4)
                    .isLessThanOrEqualTo((int) (5 * seconds));
            System.getLogger("dev.dibs.console")
                    .log(System.Logger.Level.INFO, statements + " statements in " + seconds + " seconds");
        } finally {
            threads.shutdownNow();
        }
    }

    private static long nanos() {
        return FASTER * System.nanoTime();
    }

    /** Twice as often as the script does. */
    private static void poll(Browser browser, String page) {
        for (int i = 0; i < PAGES_EACH; i++) {
            HttpResponse<String> answer = browser.get(page + (page.contains("?") ? "&" : "?") + "fragment=1");
            assertThat(answer.statusCode()).isEqualTo(200);
            try {
                Thread.sleep(1000 / FASTER);
            } catch (InterruptedException e) {
                return;
            }
        }
    }

    /** The numbers by which it is paced. */
    @Test
    void eachThingThatIsLookedAtCostsAsManyStatementsAsIsThought() {
        Snapshot snapshot = new Snapshot(stage.dibs(), System::nanoTime);
        // Once all tables exist, nobody asks for them again.
        stage.dibs().admin().checkSchema();
        assertThat(cost(snapshot.holders())).isEqualTo(4);
        assertThat(cost(snapshot.onces())).isEqualTo(1);
        assertThat(cost(snapshot.runs())).isEqualTo(2);
        assertThat(cost(new TokensPage(snapshot).tokens())).isEqualTo(1);
        assertThat(cost(new LocksPage(snapshot).waiters())).isEqualTo(1);
        assertThat(cost(snapshot.detail("huge"))).isEqualTo(4);
        // 21, and four for the rights of each of 13 tables every two minutes.
        assertThat(cost(snapshot.findings())).isLessThanOrEqualTo(21 + 4 * 13);
    }

    private int cost(CachedQuery<?> shared) {
        stage.counting().reset();
        assertThat(shared.get(Wait.begin(Duration.ofMinutes(1), Duration.ofMinutes(1)))
                        .value())
                .isNotNull();
        return stage.counting().statements().size();
    }

    @Test
    void aPageOfManyIsNotLong(@TempDir Path directory) throws Exception {
        DibsConsole console = new DibsConsole(stage.dibs(), (request, role) -> true);
        try (ConsoleServer server = new ConsoleServer(directory, "", "/*", console, false)) {
            Browser browser = new Browser(server.url() + "/", "");
            String page = browser.page("locks");
            assertThat(page).contains("1 to 200 of 10000 shown", "rel=\"next\"").hasSizeLessThan(200_000);
            assertThat(browser.page("locks?part=50"))
                    .contains("9801 to 10000 of 10000")
                    .doesNotContain("rel=\"next\"");
            assertThat(browser.page("locks?part=2147483647")).contains("9801 to 10000 of 10000");
            assertThat(browser.page("locks?part=-1")).contains("1 to 200 of 10000");
            assertThat(browser.page("locks?q=customer:777")).contains("11 shown, 10000 in all");
            assertThat(browser.page("run?name=huge"))
                    .contains(
                            "The oldest 100 of 2000 dead rows, all with the same error",
                            "40 alive, 0 gone; the first 5 are shown")
                    .contains("<progress max=\"100\" value=\"49\"")
                    .hasSizeLessThan(100_000);
            HttpResponse<String> json = browser.get("locks?format=json");
            assertThat(json.headers().firstValue("Dibs-Total")).contains("10000");
            assertThat(json.body()).hasSizeLessThan(100_000);
        }
    }
}
