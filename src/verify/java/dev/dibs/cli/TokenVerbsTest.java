package dev.dibs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import dev.dibs.cli.Cli.Outcome;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code dibs token ..}. */
@Tag("unit")
@Timeout(60)
class TokenVerbsTest {

    private static final String[] ISSUE = {"token", "issue", "--purpose", "p", "--subject", "ann", "--ttl", "10m"};

    @TempDir
    private Path directory;

    private Cli cli;
    private String pepper;

    @BeforeEach
    void newDatabase() throws IOException {
        cli = Cli.on("jdbc:h2:mem:token" + System.nanoTime() + ";DB_CLOSE_DELAY=60;WRITE_DELAY=0", "sa", "geheimnis");
        pepper = Files.writeString(directory.resolve("pepper"), "0123456789abcdef\n")
                .toString();
        ok("init");
    }

    private static String[] words(String[] words, String... more) {
        List<String> all = new ArrayList<>(List.of(words));
        all.addAll(List.of(more));
        return all.toArray(String[]::new);
    }

    private String ok(String... words) {
        Outcome outcome = cli.run(words);
        assertThat(outcome.err()).isEmpty();
        assertThat(outcome.exitCode()).isZero();
        return outcome.out();
    }

    private String issue(String... more) {
        String out = ok(words(ISSUE, more));
        assertThat(out).matches("[A-Za-z0-9_-]{43}\\R").as("nothing else");
        return out.strip();
    }

    private String issueCode(String... more) {
        String out = ok(words(words(ISSUE, "--digits", "6", "--pepper-file", pepper), more));
        assertThat(out).matches("[0-9]{6}\\R").as("nothing else");
        return out.strip();
    }

    private Outcome consumeCode(String code, String... more) {
        String[] words = {
            "token", "consume", "--purpose", "p", "--subject", "ann", "--code", code, "--pepper-file", pepper
        };
        return cli.run(words(words, more));
    }

    private static void assertRefused(Outcome outcome, int exitCode, String expected) {
        assertThat(outcome.err()).startsWith("dibs: ").contains(expected);
        assertThat(outcome.err().lines()).hasSize(1);
        assertThat(outcome.out()).isEmpty();
        assertThat(outcome.exitCode()).isEqualTo(exitCode);
    }

    @Test
    void aTokenIsLookedAtAndUsedOnce() {
        String token = issue("--payload", "a\u001b[2Jb");
        for (String verb : List.of("peek", "peek", "consume")) {
            assertThat(ok("token", verb, "--purpose", "p", "--", token).lines())
                    .hasSize(4)
                    .contains("status   ok", "subject  ann", "payload  a\\u001b[2Jb");
        }
        assertRefused(
                cli.run("token", "consume", "--purpose", "p", "--", token),
                77,
                "refused: the one of 'ann' was used at ");
        assertRefused(cli.run("token", "peek", "--purpose", "p", "--", token), 77, "was used at ");
        assertRefused(
                cli.run("token", "consume", "--purpose", "q", "--", token),
                77,
                "refused: it is unknown: never issued for this purpose, or purged");
    }

    @Test
    void aTokenIsReadFromTheStandardInput() {
        for (String end : List.of("", "\n", "\r\nmore")) {
            String token = issue();
            assertThat(cli.runWith(token + end, "token", "peek", "--purpose", "p", "-")
                            .exitCode())
                    .isZero();
            assertThat(cli.runWith(token + end, "token", "consume", "--purpose", "p", "-")
                            .exitCode())
                    .isZero();
            assertRefused(cli.runWith(token + end, "token", "consume", "--purpose", "p", "-"), 77, "was used");
        }
        String code = issueCode();
        Outcome read = cli.runWith(
                code, "token", "consume", "--purpose", "p", "--subject", "ann", "--code", "-", "--pepper-file", pepper);
        assertThat(read.exitCode()).isZero();
        for (String nothing : List.of("", "\n", "x".repeat(5_000_000))) {
            assertRefused(cli.runWith(nothing, "token", "consume", "--purpose", "p", "-"), 77, "unknown");
        }
    }

    /** One in 64 does. */
    @Test
    void aTokenMayBeginWithADash() {
        for (String start : List.of("-", "--", "-h", "-V", "-p=", "--purpose")) {
            String token = (start + "x".repeat(43)).substring(0, 43).replace('=', '_');
            for (String verb : List.of("peek", "consume")) {
                assertRefused(cli.run("token", verb, token, "--purpose", "p"), 77, "unknown");
                assertRefused(cli.run("token", verb, "--purpose", "p", token), 77, "unknown");
                assertRefused(cli.run("token", verb, "--purpose", "p", "--", token), 77, "unknown");
            }
            assertThat(cli.run("token", "revoke", token, "--purpose", "p").exitCode())
                    .isEqualTo(1);
        }
    }

    @Test
    void aRepeatedAttemptSucceeds() {
        String token = issue("--payload", "report.pdf");
        String[] consume = {"token", "consume", "--purpose", "p", "--attempt", "job 7", "--", token};
        ok(consume);
        assertThat(ok(consume)).contains("status   used, by the same attempt", "report.pdf");
        consume[5] = "job 8";
        assertRefused(cli.run(consume), 77, "was used");
    }

    @Test
    void jsonHasAllFieldsForEachStatus() {
        String token = issue("--payload", "x");
        JsonObject seen = json(cli.run("token", "peek", "--purpose", "p", "--json", "--", token), 0);
        assertThat(seen.keySet())
                .containsExactly("status", "subject", "payload", "issued", "when", "sameAttempt", "attemptsLeft");
        assertThat(seen.get("status").getAsString()).isEqualTo("ok");
        assertThat(seen.get("payload").getAsString()).isEqualTo("x");
        assertThat(seen.get("attemptsLeft").isJsonNull()).isTrue();
        json(cli.run("token", "consume", "--purpose", "p", "--json", "--", token), 0);
        JsonObject used = json(cli.run("token", "consume", "--purpose", "p", "--json", "--", token), 77);
        assertThat(used.get("status").getAsString()).isEqualTo("used");
        assertThat(used.get("payload").isJsonNull()).isTrue();
    }

    private static JsonObject json(Outcome outcome, int exitCode) {
        assertThat(outcome.err()).isEmpty();
        assertThat(outcome.exitCode()).isEqualTo(exitCode);
        return JsonParser.parseString(outcome.out()).getAsJsonObject();
    }

    @Test
    void tokensAreRevoked() {
        String token = issue();
        assertThat(ok("token", "revoke", "--purpose", "p", "--", token).strip()).isEqualTo("revoked");
        Outcome again = cli.run("token", "revoke", "--purpose", "p", "--", token);
        assertThat(again.out().strip()).isEqualTo("the token was not live");
        assertThat(again.exitCode()).isEqualTo(1);
        assertRefused(cli.run("token", "peek", "--purpose", "p", "--", token), 77, "the one of 'ann' was revoked at ");
        issue();
        issueCode();
        assertThat(ok("token", "revoke", "--purpose", "p", "--subject", "ann").strip())
                .isEqualTo("revoked 2 of 'ann'");
        assertThat(ok("token", "revoke", "--purpose", "p", "--subject", "ann").strip())
                .isEqualTo("revoked 0 of 'ann'");
        String first = issue("--one-per-subject");
        issue("--one-per-subject");
        assertRefused(cli.run("token", "peek", "--purpose", "p", "--", first), 77, "revoked");
    }

    @Test
    void anIdIssuesOneToken() {
        String[] id = {"--id", "mail 7", "--pepper-file", pepper};
        assertThat(issue(id)).isEqualTo(issue(id)).isNotEqualTo(issue("--id", "mail 8", "--pepper-file", pepper));
    }

    @Test
    void wrongCodesAreCounted() {
        String code = issueCode("--payload", "x");
        String wrong = code.equals("123456") ? "654321" : "123456";
        assertRefused(consumeCode(wrong, "--max-attempts", "2"), 77, "that is not the code of 'ann'; attempts left: 1");
        assertThat(consumeCode(code, "--max-attempts", "2").out()).contains("subject  ann", "payload  x");
        code = issueCode();
        wrong = code.equals("123456") ? "654321" : "123456";
        assertRefused(
                consumeCode(wrong, "--max-attempts", "2"),
                77,
                "too many wrong codes were tried; none of 'ann' is taken until ");
        assertRefused(consumeCode(code, "--max-attempts", "2"), 77, "too many wrong codes");
        assertRefused(consumeCode("12345", "--max-attempts", "2"), 77, "unknown");
    }

    @Test
    void statsAndPurgeWork() {
        issue();
        ok("token", "consume", "--purpose", "p", "--", issue());
        ok("token", "revoke", "--purpose", "p", "--", issue());
        assertThat(ok("token", "stats").lines())
                .containsExactly("PURPOSE  LIVE  USED  REVOKED  EXPIRED", "p        1     1     1        0");
        assertThat(ok("token", "stats", "--purpose", "q").lines()).contains("q        0     0     0        0");
        assertThat(ok("token", "purge", "--purpose", "p").strip()).isEqualTo("purged 0");
        assertThat(ok("token", "purge", "--purpose", "p", "--keep", "0").strip())
                .as("the used one stays for a minute")
                .isEqualTo("purged 1");
        assertThat(JsonParser.parseString(ok("token", "stats", "--json")).toString())
                .isEqualTo("[{\"purpose\":\"p\",\"live\":1,\"used\":1,\"revoked\":0,\"expired\":0}]");
    }

    @Test
    void listsTheTokensOfASubjectWithoutTheirSecrets() {
        String token = issue();
        issueCode();
        ok("token", "consume", "--purpose", "p", token);
        String listed = ok("token", "list", "--purpose", "p", "--subject", "ann");
        assertThat(listed.lines()).hasSize(3).anyMatch(line -> line.matches("token +used .*"));
        assertThat(listed).contains("KIND", "code ", " ok ").doesNotContain(token);
        assertThat(ok("token", "list", "--purpose", "p", "--subject", "ann", "--json"))
                .contains("\"kind\": \"token\"", "\"status\": \"used\"");
        assertThat(ok("token", "list", "--purpose", "p", "--subject", "bob").lines())
                .hasSize(1);
    }
}
