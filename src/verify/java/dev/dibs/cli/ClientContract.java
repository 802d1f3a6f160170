package dev.dibs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.dibs.cli.Cli.Outcome;
import dev.dibs.database.DatabaseUser;
import dev.dibs.database.FullTest;
import dev.dibs.database.MariaDbDatabase;
import dev.dibs.database.OnEachDatabase;
import dev.dibs.database.PostgresDatabase;
import dev.dibs.database.SqliteDatabase;
import dev.dibs.database.TestDatabase;
import dev.dibs.process.GoProgram;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;

/**
 * {@code dibs conformance} with the clients below clients/: they keep all rules; and if a client breaks a rule on purpose, the run reports
 * it.
 */
@OnEachDatabase({PostgresDatabase.class, MariaDbDatabase.class, SqliteDatabase.class})
@Tag("process")
@Timeout(1800)
class ClientContract implements DatabaseUser {

    /** Node looks for its packages beside the file that it runs: {@code npm install --prefix target/node pg mysql2}. */
    private static final Path NODE = Path.of("target", "node").toAbsolutePath();

    private static final Path PROGRAMS = Path.of("src/verify/clients").toAbsolutePath();

    private TestDatabase database;

    @Override
    public void use(TestDatabase given) {
        database = given;
    }

    private ClientRun client() {
        return new ClientRun(database);
    }

    /** The first Python with a driver: the system's may have it while another one in the path has none. */
    private List<String> python() {
        String driver = database.pythonDriver();
        List<String> found = Stream.of("python3", "/usr/bin/python3")
                .filter(python -> ClientRun.succeeds(python, "-c", "import " + driver))
                .toList();
        Assumptions.assumeFalse(found.isEmpty(), () -> "no Python has the driver " + driver);
        return List.of(
                found.get(0),
                Path.of("clients/python/conformance.py").toAbsolutePath().toString());
    }

    private List<String> node() throws IOException {
        String driver = database.nodeDriver();
        boolean there = Files.isDirectory(NODE.resolve("node_modules").resolve(driver))
                && ClientRun.succeeds("node", "--version");
        Assumptions.assumeTrue(there, () -> "no Node with the driver " + driver + " in target/node");
        copyToNode("dibs.mjs");
        copyToNode("conformance.mjs");
        return List.of("node", NODE.resolve("conformance.mjs").toString());
    }

    /** The tests of several databases run at once: a file that another one may be reading is left alone. */
    private static synchronized void copyToNode(String name) throws IOException {
        Path file = Path.of("clients/node", name);
        Path copy = NODE.resolve(name);
        if (!Files.exists(copy) || Files.mismatch(file, copy) >= 0) {
            Files.copy(file, copy, StandardCopyOption.REPLACE_EXISTING);
        }
    }

    @FullTest
    void pythonKeepsAllRules() {
        client().assertKeepsAllRules(python());
    }

    @FullTest
    void nodeKeepsAllRules() throws IOException {
        client().assertKeepsAllRules(node());
    }

    /** For one lock, and for the rows of one table under kills. Every other client is in Node; Java takes part, too. */
    @FullTest
    void languagesRace() throws IOException {
        String either = "if [ $((DIBS_CLIENT %% 2)) = 0 ]; then exec %s; else exec %s; fi"
                .formatted(String.join(" ", python()), String.join(" ", node()));
        Outcome outcome = client().run(List.of("--only", "race,claim-race"), List.of("sh", "-c", either));

        assertThat(outcome.out().lines()).hasSize(2).allMatch(line -> line.startsWith("ok "), outcome.out());
    }

    @FullTest
    void goRacesWithPythonAndJava() throws IOException {
        Assumptions.assumeTrue(
                GoProgram.obstacle().isEmpty(), () -> GoProgram.obstacle().orElse(""));
        String either = "if [ $((DIBS_CLIENT %% 2)) = 0 ]; then exec %s; else exec %s; fi"
                .formatted(String.join(" ", python()), GoProgram.right().conformance());
        Outcome outcome = client().run(List.of("--only", "race,claim-race"), List.of("sh", "-c", either));

        assertThat(outcome.out().lines()).hasSize(2).allMatch(line -> line.startsWith("ok "), outcome.out());
    }

    @FullTest
    void aRuleOfLocksThatIsBrokenIsFound() {
        client().assumeIs(PostgresDatabase.class);
        assertFinds("token-twice", "fresh-tokens");
        assertFinds("release-of-any-owner", "release-after-break");
        assertFinds("release-always-said", "release-after-break");
        assertFinds("no-renewal", "renewal");
    }

    @FullTest
    void aRuleOfDeadlinesThatIsBrokenIsFound() {
        client().assumeIs(PostgresDatabase.class);
        assertFinds("no-deadline", "deadline");
        assertFinds("no-deadline", "loss-without-database");
        assertFinds("no-margin", "late-grant");
        assertFinds("deadline-from-answer", "deadline");
        assertFinds("deadline-from-answer", "late-renewal");
    }

    @FullTest
    void aRuleOfGuardsThatIsBrokenIsFound() {
        client().assumeIs(PostgresDatabase.class);
        assertFinds("guard-unheeded", "guard-after-break");
        assertFinds("guard-of-any-owner", "guard-after-break");
        assertFinds("guard-without-end", "guard-after-the-end");
        assertFinds("guard-elsewhere", "guard-to-the-commit");
        assertFinds("guard-outside", "guard-outside");
        assertFinds("busy-unheeded", "transaction");
        assertFinds("expired-owner-unheeded", "transaction");
    }

    @FullTest
    void aRuleOfClaimsThatIsBrokenIsFound() {
        client().assumeIs(PostgresDatabase.class);
        assertFinds("token-twice", "claim");
        assertFinds("no-deadline", "claim-loss-without-database");
        assertFinds("deadline-from-answer", "claim-deadline");
        assertFinds("joined-rows-lost", "claim-joined-long");
        assertFinds("no-renewal", "claim-renewal");
        assertFinds("claim-token-unheeded", "claim-fenced");
        assertFinds("claim-transaction-unheeded", "claim-joined");
        assertFinds("guard-outside", "claim-outside");
    }

    /** A client that starts within two seconds, as in a container, is a right one. */
    @FullTest
    void aClientMayStartSlowly() {
        client().assumeIs(PostgresDatabase.class);
        Outcome outcome = client().run(List.of("--level", "1"), wrapped("sleep 2; exec \"$@\"", python()));

        assertThat(outcome.out().lines()).isNotEmpty().allMatch(client()::isRight, outcome.out());
    }

    /** By the time that it is asked to add, its lease of the first try is over: it refuses for that, and proves nothing. */
    @FullTest
    void aBrokenClientIsFoundThoughItIsSlow() {
        client().assumeIs(PostgresDatabase.class);
        List<String> broken = new ArrayList<>(python());
        broken.addAll(List.of("--broken", "guard-of-any-owner"));
        String slowly = "while read -r line; do sleep 0.6; echo \"$line\"; done | \"$@\"";
        Outcome outcome = client().run(List.of("--only", "guard-after-break"), wrapped(slowly, broken));

        assertThat(outcome.out()).startsWith("FAILED ").contains("a transaction went through under a lease");
    }

    private static List<String> wrapped(String script, List<String> client) {
        List<String> command = new ArrayList<>(List.of("sh", "-c", script, "sh"));
        command.addAll(client);
        return command;
    }

    private void assertFinds(String broken, String check) {
        client().assertFinds(python(), broken, check);
    }

    @FullTest(except = "postgresql")
    void pythonCompletesKeysOfEachTypeOrRefusesThem() throws Exception {
        String folder = Path.of("clients/python").toAbsolutePath().toString();
        String python = python().get(0);
        client().assertCompletes(List.of(python, PROGRAMS.resolve("keys.py").toString(), folder), hasUnhex(python));
    }

    @FullTest(except = "postgresql")
    void nodeCompletesKeysOfEachTypeOrRefusesThem() throws Exception {
        Path client = Path.of(node().get(1)).resolveSibling("dibs.mjs");
        client().assertCompletes(List.of("node", PROGRAMS.resolve("keys.mjs").toString(), client.toString()), true);
    }

    private static boolean hasUnhex(String python) {
        return ClientRun.succeeds(python, "-c", "import sqlite3; assert sqlite3.sqlite_version_info >= (3, 41)");
    }

    @FullTest(except = "postgresql")
    void aMalformedAnswerIsReportedInOneLine() {
        assertAnswered(
                "{\"keys\":\"all\"}",
                "FAILED ",
                "the answer has no 'keys' that is a list of numbers: {\"keys\":\"all\"}");
        assertAnswered("what?", "FAILED ", "the answer to 'claim' is no JSON object in one line: what?");
        assertAnswered("{\"unsupported\":true}", "skipped ", "the client does not know 'claim'");
    }

    private void assertAnswered(String answer, String verdict, String said) {
        Outcome outcome = client().run(
                        List.of("--only", "claim"),
                        List.of("sh", "-c", "while read -r line; do echo \"$0\"; done", answer));

        assertThat(outcome.out().lines())
                .singleElement()
                .asString()
                .startsWith(verdict)
                .endsWith(said);
    }
}
