package dev.dibs.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.dibs.cli.Cli.Outcome;
import dev.dibs.database.DatabaseUser;
import dev.dibs.database.FullTest;
import dev.dibs.database.OnEachDatabase;
import dev.dibs.database.PostgresDatabase;
import dev.dibs.database.Sql;
import dev.dibs.database.TestDatabase;
import java.io.IOException;
import java.io.Writer;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** {@code clients/shell/dibs.sh}: it keeps the rules of levels 1 to 4, and its command works like {@code dibs lock}. */
@OnEachDatabase(PostgresDatabase.class)
@Tag("process")
@Timeout(300)
class ShellContract implements DatabaseUser {

    private static final AtomicInteger COUNT = new AtomicInteger();
    private static final String SCRIPT =
            Path.of("clients/shell/dibs.sh").toAbsolutePath().toString();

    private TestDatabase database;

    @Override
    public void use(TestDatabase given) {
        database = given;
    }

    @BeforeEach
    void requirePsql() throws IOException, InterruptedException {
        for (String program : List.of("bash", "psql")) {
            Assumptions.assumeTrue(isThere(program), () -> "there is no " + program);
        }
        Cli cli = Cli.on(database.url(), database.user(), database.password());
        cli.ok("init", "--only", "locks", "--url", database.url());
    }

    private static boolean isThere(String program) throws IOException, InterruptedException {
        return new ProcessBuilder("sh", "-c", "command -v " + program)
                        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                        .start()
                        .waitFor()
                == 0;
    }

    private static String fresh(String name) {
        return name + COUNT.incrementAndGet() + "x" + ProcessHandle.current().pid();
    }

    private Process start(Map<String, String> environment, String... words) throws IOException {
        return startVerb("lock", environment, words);
    }

    private Process startVerb(String verb, Map<String, String> environment, String... words) throws IOException {
        List<String> command = new ArrayList<>(List.of("bash", SCRIPT, verb));
        command.addAll(List.of(words));
        URI address = URI.create(database.url().substring("jdbc:".length()));
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment()
                .putAll(Map.of(
                        "PGHOST", address.getHost(),
                        "PGPORT", String.valueOf(address.getPort()),
                        "PGDATABASE", address.getPath().substring(1),
                        "PGUSER", database.user(),
                        "PGPASSWORD", database.password(),
                        "LC_ALL", "C.UTF-8"));
        builder.environment().putAll(environment);
        return builder.start();
    }

    private static void assertEnds(Process process, int code, String said) throws IOException, InterruptedException {
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(output).isEqualTo(code);
        assertThat(output).isEqualTo(said);
    }

    private void assertRuns(int code, String said, String... words) throws IOException, InterruptedException {
        assertEnds(start(Map.of(), words), code, said);
    }

    private Sql sql() {
        return Sql.on(database.dataSource());
    }

    private void awaitHolder(String name, String holder) {
        await().pollInterval(Duration.ofMillis(20))
                .until(() -> sql().finds(
                                "SELECT name FROM dibs_lock WHERE name = ? AND holder = ? AND owner IS NOT NULL",
                                name,
                                holder));
    }

    @FullTest
    @Timeout(1200)
    void itKeepsTheRulesOfLevelsOneToFour() {
        Cli cli = Cli.on(database.url(), database.user(), database.password());
        Outcome outcome = cli.run(
                "conformance",
                "--url",
                database.url(),
                "--level",
                "4",
                "--",
                "bash",
                Path.of("clients/shell/conformance.sh").toAbsolutePath().toString());

        // A script guards by statements of its own: the client cannot refuse for it.
        assertThat(outcome.out().lines().filter(line -> !line.contains(" guard-outside: ")))
                .hasSizeGreaterThanOrEqualTo(21)
                .allMatch(line -> line.startsWith("ok "), outcome.out());
        assertThat(outcome.exitCode()).isZero();
    }

    @FullTest
    void hostileNamesAreBound() throws Exception {
        for (String odd : List.of(
                "it's",
                "back\\slash\\",
                "'; DROP TABLE dibs_lock; --",
                "new\nline\r",
                "per%cent %s",
                "\"q\" $HOME `id` $(id)",
                ":name :'owner' :\"x\"",
                "{a,b} \\n \\echo",
                " blank ",
                "\u00e9\uD83D\uDE80",
                "\u001f1\u001f2")) {
            String name = fresh(odd) + odd;
            assertRuns(
                    0,
                    name + " held by " + name,
                    name,
                    "--holder",
                    name,
                    "--",
                    "bash",
                    "-c",
                    "printf '%s held by %s' \"$DIBS_NAME\" \"$1\"",
                    "bash",
                    name);
            assertThat(sql().number(
                                    "SELECT count(*) FROM dibs_lock WHERE name = ? AND holder = ? AND owner IS NULL",
                                    name,
                                    name))
                    .as(name)
                    .isEqualTo(1);
        }
    }

    @Test
    void aTransactionHasTheLockWithoutALease() throws Exception {
        String name = fresh("it's a \\transaction");
        assertTransaction(0, "yes\n", name, "SELECT 'yes';");
        assertTransaction(3, "ERROR:  division by zero\n", name, "SELECT 1 / 0;");
        assertTransaction(0, "1\n", name, "SELECT count(*) FROM dibs_lock WHERE name = :'name' AND owner IS NULL;");
        Process holder = start(Map.of(), name, "--holder", "first", "--", "sleep", "600");
        try {
            awaitHolder(name, "first");
            assertTransaction(75, "dibs: '" + name + "' is held by somebody else\n", name, "SELECT 'no';");
        } finally {
            holder.destroy();
        }
        assertTransaction(2, "dibs: the name must have 1 to 200 characters\n", "", "SELECT 'no';");
    }

    private void assertTransaction(int code, String said, String name, String input) throws Exception {
        Process process = startVerb("transaction", Map.of(), name, "-A", "-t");
        try (Writer writer = process.outputWriter()) {
            writer.write(input);
        } catch (IOException e) {
            // What is refused may end before it has read its input: what it says counts.
        }
        assertEnds(process, code, said);
    }

    @FullTest
    void exitCodesAreThoseOfTheCommand() throws Exception {
        String name = fresh("codes");
        assertRuns(7, "", name, "--", "bash", "-c", "exit 7");
        assertRuns(137, "", name, "--", "bash", "-c", "kill -9 $$");
        assertRuns(2, "dibs: the name must have 1 to 200 characters\n", "n".repeat(201), "--", "true");
        assertRuns(2, "dibs: the command is missing: dibs.sh lock NAME -- COMMAND\n", name, "--");
        Process holder = start(Map.of(), name, "--holder", "first", "--", "sleep", "600");
        try {
            awaitHolder(name, "first");
            assertRuns(75, "dibs: '" + name + "' is held by somebody else\n", name, "--", "echo", "no");
            Process waiter = start(Map.of(), name, "--wait", "100", "--", "echo", "next");
            holder.destroy();
            assertThat(holder.waitFor()).isEqualTo(143);
            assertEnds(waiter, 0, "next\n");
        } finally {
            holder.destroyForcibly();
        }
    }

    @FullTest
    void aLostLeaseEndsTheCommandAndItsChildren() throws Exception {
        String name = fresh("lost");
        Process holder = start(
                Map.of(),
                name,
                "--lease",
                "9",
                "--grace",
                "1",
                "--holder",
                "me",
                "--",
                "bash",
                "-c",
                "trap '' TERM; sleep 60 & sleep 60 & echo begun; wait");
        assertThat(holder.inputReader().readLine()).isEqualTo("begun");
        List<ProcessHandle> all = holder.descendants().toList();
        sql().run("UPDATE dibs_lock SET owner = NULL, held_until = 0 WHERE name = '" + name + "'");

        // The command may say that its child was killed before it is killed itself.
        List<String> output = holder.inputReader()
                .lines()
                .filter(line -> line.startsWith("dibs: "))
                .toList();
        assertThat(holder.waitFor()).isEqualTo(76);
        assertThat(output)
                .singleElement()
                .asString()
                .contains("is lost: the database says that it is not ours any more");
        assertThat(all).hasSizeGreaterThanOrEqualTo(3);
        // A new parent needs a moment to see that an orphan has ended.
        await().untilAsserted(() -> assertThat(all).noneMatch(ProcessHandle::isAlive));
    }

    @FullTest
    void aTableOfALaterProtocolIsRefused() throws Exception {
        String schema = fresh("later");
        sql().run("CREATE SCHEMA " + schema);
        sql().run("CREATE TABLE " + schema + ".dibs_lock (LIKE dibs_lock INCLUDING ALL)");
        sql().run("ALTER TABLE " + schema + ".dibs_lock ADD protocol_2 int");
        try {
            assertEnds(
                    start(Map.of("PGOPTIONS", "-c search_path=" + schema), "x", "--", "echo", "no"),
                    2,
                    "dibs: the table dibs_lock is of protocol 2, and this dibs.sh speaks protocol 1."
                            + " Take a newer dibs.sh; nothing was written\n");
        } finally {
            sql().run("DROP SCHEMA " + schema + " CASCADE");
        }
    }
}
