package dev.dibs.console;

import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import dev.dibs.HolderKind;
import dev.dibs.Lease;
import dev.dibs.OnceOutcome;
import dev.dibs.rows.RunState;
import dev.dibs.rows.RunStatus;
import jakarta.servlet.http.HttpServletRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The console in a container: who may see what, and what its buttons do. */
class ConsoleTest {

    private static final List<String> PAGES =
            List.of("", "locks", "onces", "runs", "run?name=mails", "tokens", "health");

    private static Stage stage;
    private static ConsoleServer server;

    @BeforeAll
    static void start(@TempDir Path directory) throws Exception {
        stage = new Stage();
        stage.jobs(40);
        stage.work("mails", List.of(3L, 4L), "no route to host; password=hunter22");
        stage.dibs().tokens("password-reset").issue("somebody", Duration.ofMinutes(5));
        // A minute passes with each look at the clock, so that every page is up to date.
        AtomicLong clock = new AtomicLong();
        DibsConsole console = new DibsConsole(
                HttpServletRequest::isUserInRole,
                stage.dibs(),
                () -> clock.addAndGet(Duration.ofMinutes(1).toNanos()));
        server = new ConsoleServer(directory, "/app", "/console/*", console, true);
    }

    @AfterAll
    static void stop() throws Exception {
        server.close();
        stage.close();
    }

    private static Browser as(String user) {
        return new Browser(server.url() + "/app/console/", user);
    }

    private static RunStatus run() {
        return stage.dibs().run("mails").status().orElseThrow();
    }

    @Test
    void whoHasNoRoleSeesNothingButWhatToConfigure() {
        for (String page : PAGES) {
            HttpResponse<String> refused = as("other").get(page);
            assertThat(refused.statusCode()).isEqualTo(403);
            assertThat(refused.body())
                    .contains("You are other", "dibs-viewer", "&lt;security-constraint&gt;")
                    .doesNotContain("mails", "node 7", "password-reset", "<nav aria-label=\"Pages\">\n<ul>\n<li>");
            assertThat(as("viewer").get(page).statusCode()).isEqualTo(200);
            assertThat(as("admin").get(page).statusCode()).isEqualTo(200);
        }
        HttpResponse<String> refused = as("other").get("locks?format=json");
        assertThat(refused.statusCode()).isEqualTo(403);
        assertThat(JsonParser.parseString(refused.body()).getAsJsonObject().keySet())
                .containsExactly("error");
        assertThat(as("other").get("metrics").statusCode()).isEqualTo(403);
    }

    @Test
    void whoMayOnlyLookHasNoButtonsAndCanNotPressOne() {
        Browser viewer = as("viewer");
        try (Lease lease = stage.dibs().lock("watched").acquire(ofSeconds(5))) {
            for (String page : PAGES) {
                assertThat(viewer.page(page)).doesNotContain("method=\"post\"", "name=\"csrf\"", "break?kind");
            }
            assertThat(viewer.get("break?kind=lock&name=watched").statusCode()).isEqualTo(403);
            String secret = as("admin").csrf("break?kind=lock&name=watched");
            assertThat(viewer.post("break?kind=lock&name=watched", Map.of("csrf", secret))
                            .statusCode())
                    .isEqualTo(403);
            lease.check();
        }
    }

    @Test
    void everyAnswerHasItsHeaders() {
        for (String page : List.of("", "locks", "nowhere", "locks?format=json", "metrics")) {
            HttpResponse<String> answer = as("viewer").get(page);
            assertThat(answer.headers().firstValue("Content-Security-Policy").orElseThrow())
                    .contains("default-src 'none'", "frame-ancestors 'none'", "base-uri 'none'", "form-action 'self'")
                    .doesNotContain("unsafe");
            assertThat(answer.headers().firstValue("X-Content-Type-Options")).contains("nosniff");
            assertThat(answer.headers().firstValue("Referrer-Policy")).contains("same-origin");
            assertThat(answer.headers().firstValue("Cache-Control")).contains("no-store");
        }
    }

    @Test
    void styleAndScriptAreKeptForGoodAndNothingIsInline() {
        Browser admin = as("admin");
        for (String page : PAGES) {
            assertThat(admin.page(page))
                    .doesNotContain("<style", " style=", " onclick", "javascript:", "http://", "https://")
                    .containsPattern("<script src=\"console-[0-9a-f]{12}\\.js\" defer></script>")
                    .containsOnlyOnce("<script")
                    .containsOnlyOnce("<h1")
                    .containsOnlyOnce("<main");
        }
        String style = admin.page("").replaceAll("(?s).*href=\"(console-\\w+\\.css)\".*", "$1");
        HttpResponse<String> css = admin.get(style);
        assertThat(css.headers().firstValue("Cache-Control").orElseThrow()).contains("immutable");
        assertThat(css.headers().firstValue("Content-Type").orElseThrow()).startsWith("text/css");
        assertThat(admin.get("console-000000000000.css").statusCode()).isEqualTo(404);
    }

    @Test
    void aLockIsBroken() {
        Browser admin = as("admin");
        Lease lease = stage.dibs().lock("sync").acquire(ofSeconds(5));
        String confirm = "break?kind=lock&name=sync";
        String page = admin.page(confirm);
        assertThat(page).contains("node 7 has it since", "value=\"" + lease.fence() + "\"");
        HttpResponse<String> pressed =
                admin.post(confirm, Map.of("csrf", admin.csrf(confirm), "fence", Long.toString(lease.fence())));
        assertThat(pressed.statusCode()).isEqualTo(303);
        assertThat(pressed.headers().firstValue("Location")).contains("locks");
        assertThat(lease.isValid()).isFalse();
        assertThat(admin.page("locks"))
                .contains("role=\"status\">Broken: &#39;sync&#39; (lock) was held by node 7")
                .doesNotContain("<bdi>sync</bdi>");
        assertThat(admin.page("locks")).as("said once").doesNotContain("Broken");
    }

    @Test
    void whatHasChangedHandsMeanwhileIsNotBroken() {
        Browser admin = as("admin");
        String confirm = "break?kind=lock&name=moved";
        Lease before = stage.dibs().lock("moved").acquire(ofSeconds(5));
        String csrf = admin.csrf(confirm);
        before.close();
        try (Lease after = stage.dibs().lock("moved").acquire(ofSeconds(5))) {
            admin.post(confirm, Map.of("csrf", csrf, "fence", Long.toString(before.fence())));
            after.check();
            assertThat(admin.page("locks")).contains("Not done: &#39;moved&#39; is not held any more", "message error");
        }
    }

    @Test
    void permitsWritersAndReadersAreBrokenByName() {
        Browser admin = as("admin");
        try (Lease permit = stage.dibs().semaphore("pool", 2).acquire(ofSeconds(5));
                Lease other = stage.dibs().semaphore("pool", 2).acquire(ofSeconds(5));
                Lease reader = stage.dibs().readWriteLock("book").read().acquire(ofSeconds(5))) {
            assertThat(admin.page("locks?kind=permit")).contains("2 shown").doesNotContain("<td>reader</td>");
            String csrf = admin.csrf("break?kind=permit&name=pool");
            admin.post("break?kind=permit&name=pool", Map.of("csrf", csrf));
            assertThat(permit.isValid() || other.isValid()).isFalse();
            assertThat(reader.isValid()).isTrue();
            admin.post("break?kind=reader&name=book", Map.of("csrf", csrf));
            assertThat(stage.dibs().holders().list()).noneMatch(holder -> holder.kind() == HolderKind.READER);
            admin.post("break?kind=nonsense&name=book", Map.of("csrf", csrf));
            assertThat(admin.page("locks")).contains("Not done: there is no such kind");
        }
    }

    @Test
    void aOnceGuardIsRunAgain() {
        Browser admin = as("admin");
        assertThat(stage.dibs().once("report").ever().tryRun(lease -> {})).isEqualTo(OnceOutcome.RAN);
        assertThat(stage.dibs().once("report").ever().tryRun(lease -> {})).isEqualTo(OnceOutcome.FRESH);
        String confirm = "again?name=report";
        HttpResponse<String> pressed = admin.post(confirm, Map.of("csrf", admin.csrf(confirm)));
        assertThat(pressed.headers().firstValue("Location")).contains("onces");
        assertThat(admin.page("onces")).contains("&#39;report&#39; is due: whoever asks next does it");
        assertThat(stage.dibs().once("report").ever().tryRun(lease -> {})).isEqualTo(OnceOutcome.RAN);
    }

    @Test
    void aRunIsSwitchedAndSet() {
        Browser admin = as("admin");
        String page = "run?name=mails";
        String csrf = admin.csrf(page);
        HttpResponse<String> pressed =
                admin.post("pause?name=mails", Map.of("csrf", csrf, "reason", "the disk is <full> ü"));
        assertThat(pressed.headers().firstValue("Location")).contains(page);
        assertThat(run().state()).isEqualTo(RunState.PAUSED);
        assertThat(run().reason()).isEqualTo("the disk is <full> ü (admin on the console)");
        assertThat(run().changedBy()).isEqualTo("node 7");
        assertThat(admin.page(page)).contains("the disk is &lt;full&gt; ü (admin on the console)", "Resume</button>");
        admin.post("stop?name=mails", Map.of("csrf", csrf));
        assertThat(run().state()).isEqualTo(RunState.STOPPED);
        admin.post("resume?name=mails", Map.of("csrf", csrf));
        assertThat(run().state()).isEqualTo(RunState.RUNNING);
        admin.post(
                "set?name=mails",
                Map.of("csrf", csrf, "batch", "7", "rate", "2.5", "maxFailures", "9", "maxFailurePercent", "30"));
        assertThat(run().batch()).isEqualTo(7);
        assertThat(run().rowsPerSecondLimit()).isEqualTo(2.5);
        assertThat(run().maxFailures()).isEqualTo(9);
        assertThat(run().maxFailurePercent()).isEqualTo(30);
        assertThat(admin.page(page)).contains("Now batch is 7, rate is 2.5, maxFailures is 9, maxFailurePercent is 30");
        for (String bad : List.of("0", "-1", "x", "99999999999", "1e3")) {
            admin.post("set?name=mails", Map.of("csrf", csrf, "batch", bad));
            assertThat(admin.page(page)).contains("Not done: ");
        }
        for (String bad : List.of("-1", "NaN", "Infinity", "x")) {
            admin.post("set?name=mails", Map.of("csrf", csrf, "rate", bad));
            assertThat(admin.page(page)).contains("Not done: ");
        }
        assertThat(run().batch()).isEqualTo(7);
        assertThat(run().rowsPerSecondLimit()).isEqualTo(2.5);
        admin.post("pause?name=nobody", Map.of("csrf", csrf));
        assertThat(admin.page("runs")).contains("Not done: there is no run &#39;nobody&#39;");
    }

    @Test
    void deadRowsAreShownAndTriedAgain() throws Exception {
        Browser admin = as("admin");
        stage.execute("CREATE TABLE more AS SELECT * FROM jobs WHERE 1 = 0");
        String page = "run?name=mails";
        assertThat(admin.page(page))
                .contains("Retry dead rows", "2 dead", "no route to host; password=***", "<details><summary>Stack")
                .doesNotContain("hunter22");
        admin.post("retry?name=mails", Map.of("csrf", admin.csrf(page)));
        assertThat(admin.page(page)).contains("2 rows will be tried again").doesNotContain("Retry dead rows</button>");
        assertThat(run().dead()).isZero();
        assertThat(run().retrying()).isEqualTo(2);
        // As it was, for the other tests.
        stage.execute("UPDATE dibs_run_row SET state = 'dead' WHERE run = 'mails'");
    }

    @Test
    void whatIsNotSentByAButtonIsRefused() {
        Browser admin = as("admin");
        String csrf = admin.csrf("run?name=mails");
        String pause = "pause?name=mails";
        assertThat(admin.post(pause, Map.of()).statusCode()).as("no secret").isEqualTo(403);
        assertThat(admin.post(pause, Map.of("csrf", csrf + "x")).statusCode()).isEqualTo(403);
        assertThat(as("admin").post(pause, Map.of("csrf", csrf)).statusCode())
                .as("another session")
                .isEqualTo(403);
        for (String[] header : new String[][] {
            {"Sec-Fetch-Site", "cross-site"},
            {"Sec-Fetch-Site", "same-site"},
            {"Sec-Fetch-Site", "none"},
            {"Origin", "http://evil.example"},
            {"Origin", "null"}
        }) {
            HttpResponse<String> refused = admin.post(pause, Map.of("csrf", csrf), header);
            assertThat(refused.statusCode()).as(header[1]).isEqualTo(403);
            assertThat(refused.body()).contains("Nothing was done");
        }
        assertThat(run().state()).isEqualTo(RunState.RUNNING);
        assertThat(admin.get("pause?name=mails&csrf=" + csrf).statusCode()).isEqualTo(404);
        assertThat(admin.post("locks", Map.of("csrf", csrf)).statusCode()).isEqualTo(405);
        String own = server.url();
        assertThat(admin.post("resume?name=mails", Map.of("csrf", csrf), "Origin", own)
                        .statusCode())
                .isEqualTo(303);
        assertThat(admin.post("resume?name=mails", Map.of("csrf", csrf), "Sec-Fetch-Site", "same-origin")
                        .statusCode())
                .isEqualTo(303);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "<script>alert(1)</script>",
                "\"><img src=x onerror=alert(1)>",
                "a/b%2F../..\\c?d=e&f#g;h",
                "' OR ''='",
                "two\nlines\r\nand a tab\t",
                "\u202egnp.exe",
                "{{frame.csrf}} ${x} &amp;",
                "+ plus % percent ü 日本 😀"
            })
    void aHostileNameIsTextAndCanBeBroken(String name) {
        Browser admin = as("admin");
        try (Lease lease = stage.dibs().lock(name).acquire(ofSeconds(5))) {
            String field = "id=\"q\" name=\"q\" value=\"" + Html.escape(name) + "\"";
            assertThat(admin.page("locks?q=" + Show.query(name)).replace(field, ""))
                    .contains("<bdi>" + Html.escape(Show.text(name)) + "</bdi>", "1 shown")
                    .doesNotContain("<img", "<script>", "\u202e");
            String href = "break?kind=lock&name=" + Show.query(name);
            assertThat(admin.page("locks?q=" + Show.query(name))).contains(Html.escape(href));
            HttpResponse<String> pressed = admin.post(href, Map.of("csrf", admin.csrf(href)));
            assertThat(pressed.statusCode()).isEqualTo(303);
            assertThat(lease.isValid()).isFalse();
            assertThat(admin.page("locks")).contains("Broken: ").doesNotContain("<img", "<script>", "\u202e");
        }
    }

    @Test
    void everyButtonIsLoggedInOneLineWithWhoPressedIt() {
        List<String> lines = new CopyOnWriteArrayList<>();
        Handler handler = new Handler() {
            @Override
            public void publish(LogRecord record) {
                lines.add(record.getLevel() + " " + record.getMessage());
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        };
        Logger logger = Logger.getLogger("dev.dibs.console");
        logger.addHandler(handler);
        try {
            Browser admin = as("admin");
            String csrf = admin.csrf("run?name=mails");
            admin.post("break?kind=lock&name=" + Show.query("a\nINFO root: all is well"), Map.of("csrf", csrf));
            as("viewer").post("stop?name=mails", Map.of("csrf", csrf));
        } finally {
            logger.removeHandler(handler);
        }
        assertThat(lines)
                .anyMatch(line -> line.equals("INFO admin at 127.0.0.1: break lock 'a\\u000aINFO root: all is well':"
                        + " Nobody has 'a\\u000aINFO root: all is well'"))
                .anyMatch(line -> line.equals("WARNING viewer at 127.0.0.1: stop 'mails': refused: no role dibs-admin"))
                .noneMatch(line -> line.contains("\n"));
    }

    @Test
    void programsGetWhatTheCommandPrints() {
        Browser viewer = as("viewer");
        try (Lease lease = stage.dibs().lock("json").acquire(ofSeconds(5))) {
            HttpResponse<String> answer = viewer.get("locks?format=json&q=json");
            assertThat(answer.headers().firstValue("Content-Type").orElseThrow())
                    .startsWith("application/json");
            JsonArray locks = JsonParser.parseString(answer.body()).getAsJsonArray();
            assertThat(locks.get(0).getAsJsonObject().keySet())
                    .containsExactly("name", "kind", "holder", "fence", "since", "until");
            assertThat(locks.get(0).getAsJsonObject().get("fence").getAsLong()).isEqualTo(lease.fence());
            assertThat(answer.headers().firstValue("Dibs-Total")).contains("1");
            assertThat(viewer.get("locks?format=json&q=json&limit=0").body()).isEqualTo("[]\n");
        }
        String byHeader = viewer.get("runs", "Accept", "application/json").body();
        assertThat(JsonParser.parseString(byHeader).getAsJsonArray().toString())
                .contains("\"name\":\"mails\"", "\"rowsPerSecondLimit\"", "\"workers\"");
        JsonObject run = JsonParser.parseString(viewer.page("run?name=mails&format=json"))
                .getAsJsonObject();
        assertThat(run.get("done").getAsLong()).isEqualTo(38);
        assertThat(viewer.page("run?name=mails&format=json&show=errors"))
                .contains("\"errorClass\"", "password=***")
                .doesNotContain("hunter22");
        assertThat(viewer.page("run?name=mails&format=json&show=dead")).contains("\"attempts\"");
        assertThat(viewer.get("run?name=mails&format=json&show=x").statusCode()).isEqualTo(400);
        assertThat(viewer.page("tokens?format=json")).contains("\"purpose\": \"password-reset\"", "\"live\": 1");
        assertThat(viewer.page("onces?format=json")).startsWith("[");
        assertThat(viewer.page("health?format=json")).contains("\"subject\": \"tables\"");
        assertThat(viewer.page("?format=json")).contains("\"stuck\"", "2 rows are dead");
        HttpResponse<String> missing = viewer.get("run?name=nobody&format=json");
        assertThat(missing.statusCode()).isEqualTo(404);
        assertThat(missing.body()).contains("\"error\"");
        assertThat(viewer.get("", "Accept", "text/html,application/json;q=0.5").body())
                .startsWith("<!DOCTYPE html>");
    }

    @Test
    void metricsAreForPrometheus() {
        try (Lease lease = stage.dibs().lock("measured").acquire(ofSeconds(5))) {
            lease.check();
            HttpResponse<String> answer = as("viewer").get("metrics");
            assertThat(answer.headers().firstValue("Content-Type").orElseThrow())
                    .startsWith("text/plain;");
            assertThat(answer.body())
                    .contains("dibs_leases_held", "dibs_leases_acquired_total", "dibs_held{kind=\"permit\"}")
                    .contains("dibs_run_rows_done{run=\"mails\"} 38.0", "dibs_run_rows_dead{run=\"mails\"} 2.0");
            assertThat(as("viewer").get("metrics").body()).contains("dibs_run_rows_done{run=\"mails\"} 38.0");
        }
    }

    @Test
    void aFragmentIsWhatIsInsideThePage() {
        Browser admin = as("admin");
        for (String page : PAGES) {
            String whole = admin.page(page);
            String fragment = admin.page(page + (page.contains("?") ? "&" : "?") + "fragment=1");
            assertThat(fragment.strip()).startsWith("<h1");
            assertThat(fragment).doesNotContain("<html", "<main", "<nav").contains("As of");
            assertThat(whole).contains("data-live");
        }
    }

    @Test
    void theOverviewTellsWhatIsStuckAndWhatToPress() {
        assertThat(as("viewer").page(""))
                .contains("2 rows are dead", "Retry dead rows", "run?name=mails")
                .contains("<meta http-equiv=\"refresh\"");
        assertThat(as("viewer").page("run?name=mails"))
                .as("would lose what is being typed")
                .doesNotContain("http-equiv=\"refresh\"");
    }
}
