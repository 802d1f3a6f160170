package dev.dibs.console;

import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.dibs.Lease;
import dev.dibs.LeaseInfo;
import dev.dibs.once.OnceOutcome;
import dev.dibs.runs.RunState;
import java.net.http.HttpResponse;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The effects of the console's buttons, and who may press them. */
@Tag("unit")
class ButtonsTest extends InContainer {

    @Test
    void aLockIsBroken() {
        Browser admin = as("admin");
        Lease lease = stage.dibs().lock("sync").acquire(ofSeconds(5));
        String confirm = "break?kind=lock&name=sync";
        String page = admin.page(confirm);
        assertThat(page).contains("node 7 has it since", "value=\"" + lease.fencingToken() + "\"");
        HttpResponse<String> pressed =
                admin.post(confirm, Map.of("csrf", admin.csrf(confirm), "fence", Long.toString(lease.fencingToken())));
        assertThat(pressed.statusCode()).isEqualTo(303);
        assertThat(pressed.headers().firstValue("Location")).contains("locks");
        assertThat(lease.isValid()).isFalse();
        assertThat(admin.page("locks"))
                .contains("role=\"status\">Broken: &#39;sync&#39; (lock) was held by node 7")
                .doesNotContain("<bdi>sync</bdi>");
        assertThat(admin.page("locks")).as("said once").doesNotContain("Broken");
    }

    @Test
    void aLeaseOfANewHolderIsNotBroken() {
        Browser admin = as("admin");
        String confirm = "break?kind=lock&name=moved";
        Lease before = stage.dibs().lock("moved").acquire(ofSeconds(5));
        String csrf = admin.csrf(confirm);
        before.close();
        try (Lease after = stage.dibs().lock("moved").acquire(ofSeconds(5))) {
            admin.post(confirm, Map.of("csrf", csrf, "fence", Long.toString(before.fencingToken())));
            after.check();
            assertThat(admin.page("locks")).contains("Not done: &#39;moved&#39; is no longer held", "message error");
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
            assertThat(stage.dibs().admin().leases()).noneMatch(holder -> holder.kind() == LeaseInfo.Kind.READER);
            admin.post("break?kind=nonsense&name=book", Map.of("csrf", csrf));
            assertThat(admin.page("locks")).contains("Not done: there is no such kind");
        }
    }

    @Test
    void aOnceGuardIsRunAgain() {
        Browser admin = as("admin");
        assertThat(stage.dibs().once("report").ever().tryRun(lease -> {})).isEqualTo(OnceOutcome.RAN);
        assertThat(stage.dibs().once("report").ever().tryRun(lease -> {})).isEqualTo(OnceOutcome.NOT_DUE);
        String confirm = "again?name=report";
        HttpResponse<String> pressed = admin.post(confirm, Map.of("csrf", admin.csrf(confirm)));
        assertThat(pressed.headers().firstValue("Location")).contains("onces");
        assertThat(admin.page("onces")).contains("&#39;report&#39; is due: the next caller does it");
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
        admin.post("set?name=mails", Map.of("csrf", csrf, "batch", "8", "rate", "20", "maxFailurePercent", "5 %"));
        assertThat(admin.page(page)).contains("Not done: maxFailurePercent: &#39;5 %&#39; is not a number");
        assertThat(run().batch()).as("nothing is half done").isEqualTo(7);
        admin.post("pause?name=nobody", Map.of("csrf", csrf));
        assertThat(admin.page("runs")).contains("Not done: there is no run &#39;nobody&#39;");
    }

    /** The page of one visitor is older than the change of another one. */
    @Test
    void aSettingThatAnotherVisitorHasChangedStays() {
        Browser admin = as("admin");
        Map<String, String> form = new HashMap<>(admin.fields("run?name=mails"));
        assertThat(form).containsKeys("batch", "rate", "maxFailures", "maxFailurePercent", "shown-batch");
        stage.dibs().run("mails").setMaxFailures(4321);
        stage.dibs().run("mails").setRate(1234);
        form.put("batch", "77");
        admin.post("set?name=mails", form);
        assertThat(admin.page("run?name=mails")).contains("Now batch is 77<");
        assertThat(run().batch()).isEqualTo(77);
        assertThat(run().maxFailures()).isEqualTo(4321);
        assertThat(run().rowsPerSecondLimit()).isEqualTo(1234);
    }

    @Test
    void aRunThatHasEndedIsNotOfferedSettings() {
        // The dead rows of another run would be dead for this one, too.
        stage.execute("UPDATE jobs SET done_at = CURRENT_TIMESTAMP WHERE token = 'dibs-dead'");
        stage.work("ended", List.of(), "");
        stage.execute("UPDATE jobs SET done_at = NULL WHERE token = 'dibs-dead'");
        assertThat(stage.dibs().run("ended").status().orElseThrow().state()).isEqualTo(RunState.FINISHED);
        assertThat(as("admin").page("run?name=ended"))
                .contains("finished", "Settings: ")
                .doesNotContain("Set</button>", "class=\"switches\"", "<dt>Rate");
    }

    @Test
    void deadRowsAreShownAndTriedAgain() throws Exception {
        Browser admin = as("admin");
        stage.execute("CREATE TABLE more AS SELECT * FROM jobs WHERE 1 = 0");
        String page = "run?name=mails";
        assertThat(admin.page(page))
                .contains(
                        "Retry dead rows",
                        "2 rows are dead",
                        "no route to host; password=***",
                        "<details><summary>Attempts and stack")
                .doesNotContain("hunter22");
        admin.post("retry?name=mails", Map.of("csrf", admin.csrf(page)));
        assertThat(admin.page(page)).contains("2 rows will be tried again").doesNotContain("Retry dead rows</button>");
        assertThat(run().dead()).isZero();
        assertThat(run().retrying()).isEqualTo(2);
        // The former state, for the other tests.
        stage.execute("UPDATE dibs_run_row SET state = 'dead' WHERE run = 'mails'");
    }

    /** The button that mends a problem is beside the sentence that names it. */
    @Test
    void theOverviewHasTheButtonOfEachProblem() {
        Browser admin = as("admin");
        assertThat(admin.page("")).contains("2 rows are dead", "<form method=\"post\" action=\"retry?name=mails\"");
        // Whether it has ended depends on the tests before.
        stage.execute("UPDATE dibs_run SET finished_at = NULL, state = 'running' WHERE name = 'mails'");
        stage.dibs().run("mails").pause("");
        // The pages know of it after a moment: nobody has pressed a button.
        await().untilAsserted(() -> assertThat(admin.page(""))
                .contains("paused by node 7", "<form method=\"post\" action=\"resume?name=mails\""));
        assertThat(as("viewer").page(""))
                .contains("paused by node 7", "Resume when the reason is gone")
                .doesNotContain("<form method=\"post\"", "Break…", "Run again…");
        HttpResponse<String> pressed = admin.post("resume?name=mails", Map.of("csrf", admin.csrf("")));
        assertThat(pressed.statusCode()).isEqualTo(303);
        assertThat(run().state()).isEqualTo(RunState.RUNNING);
    }

    @Test
    void requestsWithoutAButtonsTokenAreRefused() {
        Browser admin = as("admin");
        String csrf = admin.csrf("run?name=mails");
        String pause = "pause?name=mails";
        RunState before = run().state();
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
        assertThat(run().state()).isEqualTo(before);
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

    @Test
    void everyButtonIsLoggedWithItsUser() {
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
            admin.post("break?kind=lock&name=" + Format.query("a\nINFO root: all is well"), Map.of("csrf", csrf));
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
}
