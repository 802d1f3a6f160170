package dev.dibs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import dev.dibs.Dibs;
import dev.dibs.claims.ClaimsBuilder;
import dev.dibs.cli.Cli.Outcome;
import dev.dibs.database.DriverDataSource;
import dev.dibs.database.Sql;
import dev.dibs.runs.RunState;
import dev.dibs.runs.RunWorkers;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** {@code dibs run ..} beside a program whose workers work. */
@Tag("unit")
@Timeout(300)
class RunVerbsTest {

    private static final String HOSTILE = "bad\u001b[2J\nrow";

    private final CountDownLatch paused = new CountDownLatch(1);
    private Cli cli;
    private Dibs dibs;
    private Sql sql;

    @BeforeEach
    void newDatabase() throws SQLException {
        String url = "jdbc:h2:mem:run" + System.nanoTime() + ";DB_CLOSE_DELAY=60";
        cli = Cli.on(url + ";WRITE_DELAY=0", "sa", "geheimnis");
        DriverDataSource dataSource = new DriverDataSource(url, "sa", "geheimnis");
        cli.run("init");
        dibs = Dibs.builder(dataSource).holder("me").build();
        sql = Sql.on(dataSource);
        sql.run(
                "CREATE TABLE jobs (id bigint PRIMARY KEY, done_at bigint, request_token varchar(32),"
                        + " claimed_until bigint)",
                "INSERT INTO jobs (id) SELECT x FROM system_range(1, 20)");
    }

    @AfterEach
    void close() {
        paused.countDown();
        dibs.close();
    }

    private ClaimsBuilder jobs() {
        return dibs.claims("jobs")
                .key("id")
                .token("request_token")
                .until("claimed_until")
                .where("done_at IS NULL")
                .completeSet("done_at = 1");
    }

    /** All rows are completed except the fourth, which fails on request. */
    private void work(AtomicBoolean fails) throws InterruptedException {
        RunWorkers<?> workers = dibs.run("images")
                .over(jobs().build())
                .maxAttempts(2)
                .backoff(Duration.ofMillis(1), Duration.ofMillis(1))
                .work(key -> {
                    if (key.asLong() == 4 && fails.get()) {
                        throw new IllegalStateException(HOSTILE + " password=geheimnis");
                    }
                })
                .start();
        assertThat(workers.await()).isEqualTo(fails.get() ? RunWorkers.End.INCOMPLETE : RunWorkers.End.FINISHED);
    }

    private Outcome ok(String... arguments) {
        Outcome outcome = cli.run(arguments);
        assertThat(outcome.err()).isEmpty();
        assertThat(outcome.exitCode()).isZero();
        assertThat(outcome.out().replace(System.lineSeparator(), "")).doesNotContainPattern("\\p{Cc}");
        return outcome;
    }

    private void refused(int exitCode, String expected, String... arguments) {
        Outcome outcome = cli.run(arguments);
        assertThat(outcome.err()).startsWith("dibs: ").contains(expected);
        assertThat(outcome.err().lines()).hasSize(1);
        assertThat(outcome.out()).isEmpty();
        assertThat(outcome.exitCode()).isEqualTo(exitCode);
    }

    @Test
    void aRunThatNobodyStartedIsAMistakeOfEachVerb() {
        for (String verb : new String[] {"status", "pause", "resume", "stop", "errors", "retry", "reset", "dead"}) {
            refused(2, "there is no run 'nope': it was never started; see 'dibs run list'", "run", verb, "nope");
        }
        refused(2, "there is no run 'nope'", "run", "ensure-finished", "nope", "--table", "jobs");
        refused(2, "there is no run 'nope'", "run", "set", "nope", "--batch", "3");
        refused(2, "there is no run 'nope'", "run", "status", "nope", "--watch");
        refused(2, "there is no run '\\u001b[2J'", "run", "status", "\u001b[2J");
        assertThat(ok("run", "list").out().strip()).isEqualTo("NAME  STATE  DONE  TOTAL  %  RATE  LEFT  FAILED  DEAD");
        assertThat(ok("run", "list", "--json").out().strip()).isEqualTo("[]");
    }

    @Test
    void aBadSettingLeavesTheOthersAsTheyAre() throws Exception {
        work(new AtomicBoolean());
        var before = dibs.run("images").status().orElseThrow();
        String[][] bad = {
            {"--max-failure-percent", "101", "101 % is out of bounds"},
            {"--max-failures", "-1", "must not be negative"},
            {"--rate", "-2", "out of bounds"}
        };
        for (String[] one : bad) {
            refused(2, one[2], "run", "set", "images", "--batch", "7", one[0] + "=" + one[1]);
        }
        refused(2, "between 1 and 10000", "run", "set", "images", "--rate", "5", "--batch", "0");
        assertThat(dibs.run("images").status().orElseThrow().batch()).isEqualTo(before.batch());
        assertThat(dibs.run("images").status().orElseThrow().rowsPerSecondLimit())
                .isEqualTo(before.rowsPerSecondLimit());
    }

    @Test
    void aDeadRowIsListedRetriedAndTheGateOpens() throws Exception {
        AtomicBoolean fails = new AtomicBoolean(true);
        work(fails);
        refused(
                1,
                "'images' is not finished: incomplete, 19 of 20 rows (95 %), 0.0/s, failed: 2 attempts, 0 rows to be tried"
                        + " again, 1 dead",
                "run",
                "ensure-finished",
                "images",
                "--table",
                "jobs",
                "--where",
                "done_at IS NULL");
        assertThat(ok("run", "dead", "images").out())
                .containsPattern(
                        "\\R4 +2 +\\S+Z +java.lang.IllegalStateException: bad\\\\u001b\\[2J row password=\\*\\*\\*\\R");
        assertThat(ok("run", "errors", "images", "--limit", "1").out().lines()).hasSize(3);
        assertThat(ok("run", "errors", "images").out())
                .containsPattern("\\R\\S+Z +4 +2 +me +java.lang.IllegalStateException: bad\\\\u001b\\[2J row")
                .doesNotContain("geheimnis");
        assertThat(ok("run", "errors", "images", "--stack").out())
                .containsPattern("\\R    +at dev.dibs.cli.RunVerbsTest")
                .doesNotContain("geheimnis");
        JsonObject error = array("run", "errors", "images", "--json").get(0).getAsJsonObject();
        assertThat(error.get("message").getAsString()).startsWith(HOSTILE);
        assertThat(error.has("stack")).isFalse();
        assertThat(array("run", "errors", "images", "--json", "--stack").toString())
                .contains("\"stack\"", "\"key\":\"4\"", "\"attempt\":2")
                .doesNotContain("geheimnis");
        assertThat(array("run", "dead", "images", "--json")
                        .get(0)
                        .getAsJsonObject()
                        .get("attempts")
                        .getAsInt())
                .isEqualTo(2);

        assertThat(ok("run", "retry", "images").out().strip())
                .isEqualTo("'images': 1 row will be tried again, by the next worker that starts; none is alive");
        assertThat(ok("run", "retry", "images").out()).contains("'images': no row is dead");
        refused(
                1,
                "running, 19 of 20 rows (95 %), 0.0/s, failed: 2 attempts, 1 row to be",
                "run",
                "ensure-finished",
                "images",
                "--table",
                "jobs",
                "--where",
                "done_at IS NULL");
        fails.set(false);
        work(fails);
        assertThat(ok("run", "ensure-finished", "images", "--table", "jobs", "--where", "done_at IS NULL")
                        .out()
                        .strip())
                .isEqualTo("'images' is finished: 20 of 20 rows");
        assertThat(ok("run", "list").out()).containsPattern("\\Rimages +finished +20 +20 +100 % +0.0/s +2 +0\\R");
    }

    /** A worker's error and a reason may have the password of somebody's URL. */
    @Test
    void statusAndListMaskErrorsAndReasonsInEachForm() throws Exception {
        work(new AtomicBoolean(true));
        dibs.run("images").stop("see jdbc:h2:mem:x;PASSWORD=geheimnis");
        sql.run(
                "UPDATE dibs_run SET finished_at = NULL",
                "UPDATE dibs_run_worker SET error = 'no right; password=geheimnis'");
        for (String[] verb : new String[][] {
            {"run", "status", "images"},
            {"run", "status", "images", "--json"},
            {"run", "status", "images", "--watch", "--json"},
            {"run", "list", "--json"},
            {"run", "errors", "images", "--stack", "--json"},
            {"run", "dead", "images"},
            {"run", "dead", "images", "--json"}
        }) {
            assertThat(ok(verb).out())
                    .as(String.join(" ", verb))
                    .containsIgnoringCase("password=***")
                    .doesNotContain("geheimnis");
        }
        assertThat(ok("run", "status", "images").out()).contains("no right; password=***", "see jdbc:h2:mem:x");
    }

    @Test
    void longLinesAreCut() throws Exception {
        RunWorkers<?> workers = dibs.run("images")
                .over(jobs().build())
                .maxAttempts(1)
                .work(key -> {
                    throw new IllegalStateException("bad ".repeat(200) + "end");
                })
                .start();
        assertThat(workers.await()).isEqualTo(RunWorkers.End.INCOMPLETE);
        for (String verb : new String[] {"dead", "errors"}) {
            assertThat(ok("run", verb, "images").out().lines().skip(1))
                    .hasSize(20)
                    .allMatch(line -> line.length() == 200 && line.endsWith(".."));
            assertThat(ok("run", verb, "images", "--full").out().lines().skip(1))
                    .hasSize(20)
                    .allMatch(line -> line.endsWith("bad end"));
        }
        assertThat(ok("run", "errors", "images", "--stack").out().lines()).allMatch(line -> line.length() <= 200);
    }

    @Test
    void moreDeadRowsThanAreListedAreTold() throws Exception {
        RunWorkers<?> workers = dibs.run("images")
                .over(jobs().build())
                .maxAttempts(1)
                .work(key -> {
                    throw new IllegalStateException("bad");
                })
                .start();
        assertThat(workers.await()).isEqualTo(RunWorkers.End.INCOMPLETE);
        assertThat(ok("run", "dead", "images").out().lines()).hasSize(21);
        assertThat(ok("run", "dead", "images", "--limit", "19").out().lines())
                .hasSize(21)
                .last()
                .isEqualTo("The oldest 19 of 20 are shown; for more: --limit, up to 1000");
        assertThat(ok("run", "errors", "images").out().lines()).hasSize(21);
        assertThat(ok("run", "errors", "images", "--limit", "19").out().lines())
                .hasSize(21)
                .last()
                .isEqualTo("The latest 19 are shown; for more: --limit, up to 1000");
    }

    /** One word for a state, wherever it is shown. */
    @Test
    void aRunWithDeadRowsIsIncompleteEverywhereAndIsReset() throws Exception {
        work(new AtomicBoolean(true));
        assertThat(dibs.run("images").status().orElseThrow().state()).isEqualTo(RunState.INCOMPLETE);
        assertThat(ok("run", "list").out()).containsPattern("\\Rimages +incomplete ");
        assertThat(ok("run", "status", "images").out().lines())
                .anyMatch(line -> line.startsWith("state     incomplete, since "));
        assertThat(ok1Json("run", "status", "images", "--json"))
                .contains("\"state\": \"incomplete\"", "\"isFinished\": false");
        assertThat(ok("run", "reset", "images").out().strip())
                .isEqualTo("'images' is forgotten: the next worker starts from zero");
        refused(2, "there is no run 'images'", "run", "status", "images");
        work(new AtomicBoolean());
        assertThat(ok("run", "list").out()).containsPattern("\\Rimages +finished +1 +1 ");
    }

    private JsonArray array(String... arguments) {
        return JsonParser.parseString(cli.run(arguments).out()).getAsJsonArray();
    }

    @Test
    void theSwitchesAndSettingsReachTheWorkers() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        RunWorkers<?> workers = dibs.run("images")
                .over(jobs().build())
                .batch(2)
                .work(key -> {
                    begun.countDown();
                    paused.await();
                    Thread.sleep(50);
                })
                .start();
        assertThat(begun.await(2, TimeUnit.MINUTES)).isTrue();
        assertThat(ok("run", "pause", "images", "--by", "ann", "--reason", "disk\nfull")
                        .out())
                .startsWith("'images' is paused");
        paused.countDown();
        assertThat(ok("run", "set", "images", "--batch", "5", "--rate", "0.5", "--max-failures", "7")
                        .out()
                        .lines())
                .containsExactly("batch is now 5", "rate is now 0.5", "max-failures is now 7");
        assertThat(ok("run", "set", "images", "--max-failure-percent", "3").out())
                .contains("percent is now 3");
        assertThat(ok("run", "status", "images").out().lines())
                .contains("run       images")
                .anyMatch(line -> line.matches("state     paused, since \\S+Z by ann: disk full"))
                .anyMatch(line -> line.matches("progress  \\[#*-+]  [0-9]+ %  [0-9]+ of 20 rows"))
                .contains(
                        "settings  batch 5, at most 0.5 rows/s, stops at 7 failed attempts, stops at 3 % failed attempts")
                .anyMatch(line -> line.matches("me +[0-9]+ +0 +[0-9.]+/s +[0-9]+s ago +\\S+"))
                .contains("workers   1 alive, 0 gone");
        JsonObject status = JsonParser.parseString(ok1Json("run", "status", "images", "--json"))
                .getAsJsonObject();
        assertThat(status.get("state").getAsString()).isEqualTo("paused");
        assertThat(status.get("reason").getAsString()).isEqualTo("disk\nfull");
        assertThat(status.get("total").getAsLong()).isEqualTo(20);
        assertThat(status.get("finishedAt").isJsonNull()).isTrue();
        assertThat(status.get("workers").getAsJsonArray()).hasSize(1);

        ok("run", "set", "images", "--rate", "0");
        assertThat(ok("run", "resume", "images").out()).startsWith("'images' is running again");
        CompletableFuture<Outcome> watch =
                CompletableFuture.supplyAsync(() -> ok("run", "status", "images", "--watch"));
        assertThat(workers.await()).isEqualTo(RunWorkers.End.FINISHED);
        assertThat(watch.get(2, TimeUnit.MINUTES).out().lines().toList())
                .allMatch(line -> line.matches("\\S+Z (running|finished), .*"))
                .doesNotHaveDuplicates()
                .last()
                .asString()
                .contains("finished, 20 of 20 rows (100 %)");
        assertThat(ok("run", "stop", "images", "--reason", "enough").out()).startsWith("'images' is stopped");
        assertThat(ok("run", "status", "images", "--watch", "--json").out().lines())
                .hasSize(1);
        assertThat(ok("run", "status", "images").out()).contains("state     finished, since ");
    }

    private String ok1Json(String... arguments) {
        Outcome outcome = cli.run(arguments);
        assertThat(outcome.exitCode()).isZero();
        return outcome.out();
    }
}
