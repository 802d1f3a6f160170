package dev.dibs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.dibs.cli.Cli.Outcome;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** For any mistake of the user: exit code 2, and one line that says what to do. */
@Tag("unit")
class MistakesTest {

    private static final String EMPTY = "jdbc:h2:mem:";
    private static final Cli CLI = Cli.on(EMPTY, "sa", "");

    static Stream<Arguments> mistakes() {
        return Stream.of(
                wrong(
                        "which command? One of lock, read, write, semaphore, hold, release, check, locks, break, once, run, token, console,"
                                + " init, schema, statements, conformance, doctor"),
                wrong("unknown command 'lcks'; did you mean locks", "lcks"),
                wrong("unknown option '--wiat' (see dibs lock --help)", "lock", "x", "--wiat", "5s", "--", "true"),
                wrong("unknown option '-p' (see", "locks", "-pgeheimnis"),
                wrong("a url begins with jdbc:, as in", "locks", "--url", "u:geheimnis@h/db"),
                wrong("unknown option '--passwrd'; did you mean --password", "locks", "--passwrd=geheimnis"),
                wrong("unknown option '--passwrd'; did you mean --password", "locks", "--passwrd", "geheimnis"),
                wrong("Missing required parameter: 'NAME'", "lock"),
                wrong("put the command after two dashes", "lock", "x"),
                wrong("put the command after two dashes", "lock", "x", "--"),
                wrong("put the command after two dashes", "lock", "x", "--", ""),
                wrong("put the command after two dashes", "lock", "x", "true"),
                wrong("put the command after two dashes, as in: dibs conformance -- CMD ARGS", "conformance"),
                wrong("--level 8 is out of bounds", "conformance", "--level", "8", "--", "true"),
                wrong("there is no check 'x'; there are acquire, busy, ", "conformance", "--only", "x", "--", "true"),
                wrong("write --url as jdbc:postgresql://localhost:5432/shop", "conformance", "--", "true"),
                wrong("between the name and the two dashes there are only options", "lock", "x", "y", "--", "true"),
                wrong("'--wait': '5x' is not a duration; write it like", "lock", "x", "--wait", "5x", "--", "true"),
                wrong("a lease of 50 ms is out of bounds", "lock", "x", "--lease", "50ms", "--", "true"),
                wrong("a clock tolerance of 2 min is", "lock", "x", "--clock-tolerance", "2m", "--", "true"),
                wrong("the limit is 200", "lock", "x".repeat(201), "--", "true"),
                wrong("the name is empty", "lock", "", "--", "true"),
                wrong("the name is empty", "break", ""),
                wrong("set LC_ALL=C.UTF-8", "lock", "gr\uFFFD\uFFFDe", "--", "true"),
                wrong("set LC_ALL=C.UTF-8", "lock", "x", "--", "rm", "gr\uFFFD\uFFFDe"),
                wrong("there is no dialect 'foo'; there are [galera, h2,", "schema", "foo"),
                wrong("'lock' is none of locks, once, semaphores, ", "schema", "h2", "--only", "locks,lock"),
                wrong("there is no dialect 'foo'; there are [galera, h2,", "locks", "--dialect", "foo"),
                wrong("/nowhere is not a dialect: it has no dialect.sql", "locks", "--dialect", "/nowhere"),
                wrong("'a b' is not a schema's name", "locks", "--schema", "a b"),
                wrong("'a b.dibs_' is not a prefix's name", "schema", "h2", "--schema", "a b"),
                wrong("'a;b' is not a prefix's name", "statements", "h2", "--prefix", "a;b"),
                wrong("The tables dibs_lock, ", "lock", "x", "--", "true"),
                wrong("with the command 'dibs init'", "locks"),
                wrong("The tables dibs_lock, ", "break", "x"),
                wrong("which command? One of list, status, pause, resume, stop, set, errors, dead, retry, res", "run"),
                wrong("unknown command 'stauts'; did you mean status", "run", "stauts", "x"),
                wrong("Missing required parameter: 'NAME'", "run", "status"),
                wrong("The tables dibs_lock, ", "run", "list"),
                wrong("The tables dibs_lock, ", "run", "pause", "x"),
                wrong("the run's name is empty", "run", "stop", ""),
                wrong("has a blank at its end", "run", "resume", "x "),
                wrong("set LC_ALL=C.UTF-8", "run", "pause", "x", "--reason", "gr\uFFFD\uFFFDe"),
                wrong("name a setting: one of --batch,", "run", "set", "x"),
                wrong("a claim of 0 rows is out of bounds", "run", "set", "x", "--batch", "0"),
                wrong("a rate of -1.0 rows a second", "run", "set", "x", "--rate", "-1"),
                wrong("a rate of NaN rows a second", "run", "set", "x", "--rate", "NaN"),
                wrong("maxFailures is -1", "run", "set", "x", "--max-failures", "-1"),
                wrong("101 % is out of bounds", "run", "set", "x", "--max-failure-percent", "101"),
                wrong("--limit 0 is out of bounds", "run", "errors", "x", "--limit", "0"),
                wrong("--limit 1001 is out of bounds", "run", "dead", "x", "--limit", "1001"),
                wrong(
                        "which command? One of issue, peek, consume, revoke, purge, list, stats (see dibs token",
                        "token"),
                wrong("unknown command 'isue'; did you mean issue", "token", "isue"),
                wrong("Missing required option: '--purpose=P'", "token", "peek", "x"),
                wrong("Missing required parameter: 'TOKEN'", "token", "peek", "--purpose", "p"),
                wrong("the purpose is empty", "token", "peek", "--purpose", "", "x"),
                wrong("the purpose has 101 characters", "token", "peek", "--purpose", "x".repeat(101), "x"),
                wrong("set LC_ALL=C.UTF-8", "token", "peek", "--purpose", "gr\uFFFD\uFFFDe", "x"),
                wrong("either TOKEN, or --subject and --code", "token", "consume", "--purpose", "p"),
                wrong("either TOKEN, or --subject and --code", "token", "consume", "--purpose", "p", "--code", "1"),
                wrong("either TOKEN, or --subject and", "token", "consume", "--purpose", "p", "--subject", "s", "x"),
                wrong("either TOKEN or --subject", "token", "revoke", "--purpose", "p"),
                wrong("either TOKEN or --subject", "token", "revoke", "--purpose", "p", "--subject", "s", "x"),
                wrong("The tables dibs_lock, ", "token", "peek", "--purpose", "p", "x".repeat(43)),
                wrong("The tables dibs_lock, ", "token", "stats"),
                wrong("a retention of 3651 days is out of", "token", "purge", "--purpose", "p", "--keep", "3651d"),
                issue("Missing required options: '--subject=S', '--ttl=DURATION'"),
                issue("the subject has a blank", "--subject", " s", "--ttl", "1m"),
                issue("a time to live of 0 s is out of bounds", "--subject", "s", "--ttl", "0"),
                issue("'--ttl': 'soon' is not a duration", "--subject", "s", "--ttl", "soon"),
                issue("the payload has 4001", "--subject", "s", "--ttl", "1m", "--payload", "x".repeat(4001)),
                issue("a code needs a key that is not in", "--subject", "s", "--ttl", "1m", "--digits", "6"),
                issue("a token under an id needs a key", "--subject", "s", "--ttl", "1m", "--id", "i"),
                issue("leave --id", "--subject", "s", "--ttl", "1m", "--digits", "6", "--id", "i"),
                issue(
                        "nope cannot be read: NoSuch",
                        "--subject",
                        "s",
                        "--ttl",
                        "1m",
                        "--id",
                        "i",
                        "--pepper-file",
                        "nope"),
                issue(
                        "the limit",
                        "--subject",
                        "s",
                        "--ttl",
                        "1m",
                        "--id",
                        "i".repeat(201),
                        "--pepper-file",
                        "dialects/products.properties"),
                issue("is it the key?", "--subject", "s", "--ttl", "1m", "--digits", "6", "--pepper-file", "pom.xml"),
                issue("src cannot be read: IOE", "--subject", "s", "--ttl", "1m", "--id", "i", "--pepper-file", "src"),
                wrong("The tables nope.dibs_lock, ", "locks", "--schema", "nope"),
                wrong("a url begins with jdbc:", "locks", "--url", "postgres://u:geheimnis@h/db"),
                wrong(
                        "no driver takes the url 'jdbc:foo:x;password=***'",
                        "locks",
                        "--url",
                        "jdbc:foo:x;password=geheimnis"),
                wrong(
                        "the one for this url is com.oracle.database.jdbc:ojdbc11. Name its jar by --driver, or in DIBS_DRIVER",
                        "locks",
                        "--url",
                        "jdbc:oracle:thin:@//host/service"),
                wrong("is com.ibm.db2:jcc.", "locks", "--url", "jdbc:db2://host:50000/db"),
                wrong("there is no file 'nope.jar': --driver", "locks", "--url", "jdbc:foo:x", "--driver", "nope.jar"),
                wrong("refused", "locks", "--url", "jdbc:postgresql://127.0.0.1:1/x?password=geheimnis"),
                wrong("there is no terminal", "locks", "--password"));
    }

    private static Arguments wrong(String expected, String... arguments) {
        return Arguments.of(expected, arguments);
    }

    private static Arguments issue(String expected, String... more) {
        return wrong(
                expected,
                Stream.concat(Stream.of("token", "issue", "--purpose", "p"), Stream.of(more))
                        .toArray(String[]::new));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("mistakes")
    void mistakesGetOneLine(String expected, String[] arguments) {
        assertMistake(CLI.run(arguments), expected);
    }

    private static void assertMistake(Outcome outcome, String expected) {
        assertThat(outcome.err()).startsWith("dibs: ").contains(expected).doesNotContain("geheimnis");
        assertThat(outcome.err().lines()).hasSize(1);
        assertThat(outcome.out()).isEmpty();
        assertThat(outcome.exitCode()).isEqualTo(2);
    }

    @Test
    void aUserWithoutADatabaseIsNotSentToTheEmbeddedOne() {
        assertMistake(new Cli(Map.of("DIBS_USER", "u")).run("locks"), "add --url or set DIBS_URL");
        assertMistake(new Cli(Map.of("DIBS_PASSWORD", "geheimnis")).run("locks"), "add --url or set DIBS_URL");
    }

    @Test
    void aWrongPasswordIsNotShown(@TempDir Path directory) throws SQLException {
        String url = "jdbc:h2:file:" + directory.resolve("db");
        try (Connection made = DriverManager.getConnection(url, "u", "right")) {
            assertThat(made.isValid(1)).isTrue();
        }
        String expected = "cannot connect to " + url + " as u: Wrong user name or password";
        assertMistake(Cli.on(url, "u", "right").run("locks", "--password", "geheimnis"), expected);
    }
}
