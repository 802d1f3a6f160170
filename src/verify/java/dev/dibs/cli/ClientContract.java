package dev.dibs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.dibs.cli.Cli.Outcome;
import dev.dibs.conformance.Conformance;
import dev.dibs.database.DatabaseUser;
import dev.dibs.database.FullTest;
import dev.dibs.database.MariaDbDatabase;
import dev.dibs.database.OnEachDatabase;
import dev.dibs.database.PostgresDatabase;
import dev.dibs.database.Sql;
import dev.dibs.database.SqliteDatabase;
import dev.dibs.database.TestDatabase;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.UUID;
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

    /** The first Python with a driver: the system's may have it while another one in the path has none. */
    private List<String> python() {
        String driver = database.pythonDriver();
        List<String> found = Stream.of("python3", "/usr/bin/python3")
                .filter(python -> succeeds(python, "-c", "import " + driver))
                .toList();
        Assumptions.assumeFalse(found.isEmpty(), () -> "no Python has the driver " + driver);
        return List.of(
                found.get(0),
                Path.of("clients/python/conformance.py").toAbsolutePath().toString());
    }

    private List<String> node() throws IOException {
        String driver = database.nodeDriver();
        boolean there =
                Files.isDirectory(NODE.resolve("node_modules").resolve(driver)) && succeeds("node", "--version");
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

    private static boolean succeeds(String... command) {
        try {
            return new ProcessBuilder(command)
                            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                            .redirectError(ProcessBuilder.Redirect.DISCARD)
                            .start()
                            .waitFor()
                    == 0;
        } catch (IOException e) {
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private Outcome run(List<String> options, List<String> client) {
        List<String> words = new ArrayList<>(List.of("conformance", "--url", database.url()));
        words.addAll(options);
        words.add("--");
        words.addAll(client);
        Cli cli = Cli.on(database.url(), database.user(), database.password());
        return cli.run(words.toArray(String[]::new));
    }

    private void assertKeepsAllRules(List<String> client) {
        Outcome outcome = run(List.of(), client);

        assertThat(outcome.err()).isEmpty();
        assertThat(outcome.out().lines()).hasSameSizeAs(Conformance.names()).allMatch(this::isRight, outcome.out());
        assertThat(outcome.exitCode()).isZero();
    }

    /** A file has no network that could be cut, and no row locks. */
    private boolean isRight(String line) {
        return line.startsWith("ok ")
                || (database.port() == 0 && line.startsWith("skipped ") && line.contains("the database is a file"));
    }

    @FullTest
    void pythonKeepsAllRules() {
        assertKeepsAllRules(python());
    }

    @FullTest
    void nodeKeepsAllRules() throws IOException {
        assertKeepsAllRules(node());
    }

    /** For one lock, and for the rows of one table under kills. Every other client is in Node; Java takes part, too. */
    @FullTest
    void languagesRace() throws IOException {
        String either = "if [ $((DIBS_CLIENT %% 2)) = 0 ]; then exec %s; else exec %s; fi"
                .formatted(String.join(" ", python()), String.join(" ", node()));
        Outcome outcome = run(List.of("--only", "race,claim-race"), List.of("sh", "-c", either));

        assertThat(outcome.out().lines()).hasSize(2).allMatch(line -> line.startsWith("ok "), outcome.out());
    }

    @FullTest
    void aRuleOfLocksThatIsBrokenIsFound() {
        assertFinds("token-twice", "fresh-tokens");
        assertFinds("release-of-any-owner", "release-after-break");
        assertFinds("release-always-said", "release-after-break");
        assertFinds("no-renewal", "renewal");
    }

    @FullTest
    void aRuleOfDeadlinesThatIsBrokenIsFound() {
        Assumptions.assumeTrue(database.port() != 0, "a file has no network that could be cut");
        assertFinds("no-deadline", "deadline");
        assertFinds("no-deadline", "loss-without-database");
        assertFinds("no-margin", "late-grant");
        assertFinds("deadline-from-answer", "deadline");
        assertFinds("deadline-from-answer", "late-renewal");
    }

    @FullTest
    void aRuleOfGuardsThatIsBrokenIsFound() {
        assertFinds("guard-unheeded", "guard-after-break");
        assertFinds("guard-of-any-owner", "guard-after-break");
        assertFinds("guard-without-end", "guard-after-the-end");
        assertFinds("guard-elsewhere", "guard-to-the-commit");
        assertFinds("guard-outside", "guard-outside");
        assertFinds("busy-unheeded", "transaction");
        if (database.port() != 0) {
            assertFinds("expired-owner-unheeded", "transaction");
        }
    }

    @FullTest
    void aRuleOfClaimsThatIsBrokenIsFound() {
        assertFinds("token-twice", "claim");
        if (database.port() != 0) {
            assertFinds("no-deadline", "claim-loss-without-database");
            assertFinds("deadline-from-answer", "claim-deadline");
            assertFinds("joined-rows-lost", "claim-joined-long");
        }
        assertFinds("no-renewal", "claim-renewal");
        assertFinds("claim-token-unheeded", "claim-fenced");
        assertFinds("claim-transaction-unheeded", "claim-joined");
        assertFinds("guard-outside", "claim-outside");
    }

    /** A client that starts within two seconds, as in a container, is a right one. */
    @FullTest
    void aClientMayStartSlowly() {
        Outcome outcome = run(List.of("--level", "1"), wrapped("sleep 2; exec \"$@\"", python()));

        assertThat(outcome.out().lines()).isNotEmpty().allMatch(this::isRight, outcome.out());
    }

    /** By the time that it is asked to add, its lease of the first try is over: it refuses for that, and proves nothing. */
    @FullTest
    void aBrokenClientIsFoundThoughItIsSlow() {
        List<String> broken = new ArrayList<>(python());
        broken.addAll(List.of("--broken", "guard-of-any-owner"));
        String slowly = "while read -r line; do sleep 0.6; echo \"$line\"; done | \"$@\"";
        Outcome outcome = run(List.of("--only", "guard-after-break"), wrapped(slowly, broken));

        assertThat(outcome.out()).startsWith("FAILED ").contains("a transaction went through under a lease");
    }

    private static List<String> wrapped(String script, List<String> client) {
        List<String> command = new ArrayList<>(List.of("sh", "-c", script, "sh"));
        command.addAll(client);
        return command;
    }

    private void assertFinds(String broken, String check) {
        List<String> client = new ArrayList<>(python());
        client.addAll(List.of("--broken", broken));
        Outcome outcome = run(List.of("--only", check), client);

        assertThat(outcome.out()).startsWith("FAILED ").contains(" " + check + ": ");
        assertThat(outcome.exitCode()).isEqualTo(1);
    }

    /** Types of keys that both databases know, each with a value. */
    private static final Map<String, String> KEYS = Map.ofEntries(
            Map.entry("smallint", "7"),
            Map.entry("int", "7"),
            Map.entry("bigint", "9223372036854775807"),
            Map.entry("varchar(20)", "' e,\"f'"),
            Map.entry("char(10)", "'abc'"),
            Map.entry("text", "'abc'"),
            Map.entry("uuid", "'123e4567-e89b-12d3-a456-426614174000'"),
            Map.entry("boolean", "true"),
            Map.entry("numeric(10, 2)", "7"),
            Map.entry("date", "'2026-03-05'"),
            Map.entry("timestamp(6)", "'2026-03-05 10:00:00.123456'"));

    @FullTest(except = "postgresql")
    void pythonCompletesKeysOfEachTypeOrRefusesThem() throws Exception {
        String folder = Path.of("clients/python").toAbsolutePath().toString();
        assertCompletes(List.of(python().get(0), PROGRAMS.resolve("keys.py").toString(), folder));
    }

    @FullTest(except = "postgresql")
    void nodeCompletesKeysOfEachTypeOrRefusesThem() throws Exception {
        Path client = Path.of(node().get(1)).resolveSibling("dibs.mjs");
        assertCompletes(List.of("node", PROGRAMS.resolve("keys.mjs").toString(), client.toString()));
    }

    private void assertCompletes(List<String> program) throws Exception {
        List<String> lines = judged(program, KEYS.entrySet());
        assertThat(lines)
                .hasSameSizeAs(KEYS.keySet())
                .allMatch(line -> line.endsWith(" ok") || line.endsWith(" refused"));
        assertThat(lines).filteredOn(line -> line.endsWith(" ok")).hasSizeGreaterThanOrEqualTo(5);

        List<Map.Entry<String, String>> binary = binaryKeys();
        List<String> ofBytes = judged(program, binary);
        String right = database.port() == 0 && lacksUnhex(program.get(0)) ? " refused" : " ok";
        assertThat(ofBytes).hasSameSizeAs(binary).allMatch(line -> line.endsWith(right));
    }

    /** SQLite's unhex came with 3.41. */
    private static boolean lacksUnhex(String python) {
        return !succeeds(python, "-c", "import sqlite3; assert sqlite3.sqlite_version_info >= (3, 41)");
    }

    /** Bytes that are no text of any character set, and 16 of them: Hibernate and others keep a UUID so. */
    private List<Map.Entry<String, String>> binaryKeys() {
        return database.keys().types().stream()
                .filter(key -> key.type().matches("bytea|blob|(var)?binary\\(.*"))
                .map(key -> Map.entry(key.type(), key.values().get(0)))
                .toList();
    }

    /** One line for each key, of a table in which it is the only one; each may be NULL. */
    private List<String> judged(List<String> program, Collection<Map.Entry<String, String>> keys) throws Exception {
        List<String> tables = new ArrayList<>();
        Sql sql = Sql.on(database.dataSource());
        for (Map.Entry<String, String> key : keys) {
            String table = "client_key_" + UUID.randomUUID().toString().substring(0, 8);
            sql.run("CREATE TABLE " + table + " (id " + key.getKey()
                    + ", claimed_by varchar(32), claimed_until bigint, done int NOT NULL)");
            tables.add(table);
            sql.run("INSERT INTO " + table + " (id, done) VALUES (NULL, 0)");
            sql.run("INSERT INTO " + table + " (id, done) VALUES (" + key.getValue() + ", 0)");
        }
        List<String> lines =
                lines(Stream.concat(program.stream(), tables.stream()).toList());
        for (String table : tables) {
            sql.run("DROP TABLE " + table);
        }
        return lines;
    }

    private List<String> lines(List<String> command) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        URI address = URI.create(database.url().substring("jdbc:".length()).replaceFirst("\\?.*", ""));
        boolean file = database.port() == 0;
        builder.environment().put("PYTHONDONTWRITEBYTECODE", "1");
        builder.environment()
                .putAll(Map.of(
                        "DIBS_HOST", file ? "" : address.getHost(),
                        "DIBS_PORT", String.valueOf(address.getPort()),
                        "DIBS_DATABASE",
                                file ? address.getPath() : address.getPath().substring(1),
                        "DIBS_USER", database.user(),
                        "DIBS_PASSWORD", database.password(),
                        "DIBS_DIALECT", database.name()));
        try (InputStream output = builder.start().getInputStream()) {
            return new String(output.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .toList();
        }
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
        Outcome outcome = run(
                List.of("--only", "claim"), List.of("sh", "-c", "while read -r line; do echo \"$0\"; done", answer));

        assertThat(outcome.out().lines())
                .singleElement()
                .asString()
                .startsWith(verdict)
                .endsWith(said);
    }
}
