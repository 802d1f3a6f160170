package dev.dibs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.dibs.cli.Cli.Outcome;
import dev.dibs.database.DriverDataSource;
import dev.dibs.database.Sql;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Nothing that {@code dibs token} prints or logs contains a token, code, pepper or digest, except the output of issue. */
@Tag("unit")
@Timeout(60)
class TokenSecrecyTest {

    private static final String PEPPER = "pepper-0123456789";
    private static final Logger ROOT = Logger.getLogger("");

    /** Set in the threads that a test starts, too: other tests, which run beside this one, write digits of their own. */
    private static final InheritableThreadLocal<TokenSecrecyTest> LISTENER = new InheritableThreadLocal<>();

    @TempDir
    private Path directory;

    private final Queue<String> seen = new ConcurrentLinkedQueue<>();
    private final Handler handler = new Handler() {
        @Override
        public void publish(LogRecord entry) {
            if (LISTENER.get() != TokenSecrecyTest.this) {
                return;
            }
            seen.add(new SimpleFormatter().format(entry));
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    };
    private final Level level = ROOT.getLevel();
    private String url;
    private Cli cli;
    private String pepper;

    /** All log entries of a test are collected, down to the finest. */
    @BeforeEach
    void listen() throws IOException {
        LISTENER.set(this);
        url = "jdbc:h2:mem:secrecy" + System.nanoTime() + ";DB_CLOSE_DELAY=60;WRITE_DELAY=0";
        cli = Cli.on(url, "sa", "geheimnis");
        pepper = Files.writeString(directory.resolve("pepper"), PEPPER).toString();
        cli.run("init");
        handler.setLevel(Level.ALL);
        ROOT.addHandler(handler);
        ROOT.setLevel(Level.ALL);
        // Cli keeps the library's own from its parents.
        Logger.getLogger("dev.dibs").addHandler(handler);
    }

    @AfterEach
    void stopListening() {
        ROOT.setLevel(level);
        ROOT.removeHandler(handler);
        Logger.getLogger("dev.dibs").removeHandler(handler);
        LISTENER.remove();
    }

    private String issue(String... more) {
        List<String> words =
                new ArrayList<>(List.of("token", "issue", "--purpose", "p", "--subject", "ann", "--ttl", "10m"));
        words.addAll(List.of("--pepper-file", pepper));
        words.addAll(List.of(more));
        Outcome issued = cli.run(words.toArray(String[]::new));
        seen.add(issued.err());
        assertThat(issued.exitCode()).isZero();
        return issued.out().strip();
    }

    private void run(int exitCode, String... words) {
        note(exitCode, cli.run(words), words);
    }

    private void note(int exitCode, Outcome outcome, String... words) {
        seen.add(outcome.out());
        seen.add(outcome.err());
        assertThat(outcome.exitCode())
                .as(String.join(" ", words) + ": " + outcome.err())
                .isEqualTo(exitCode);
    }

    @Test
    void noVerbPrintsATokensSecret() throws Exception {
        String token = issue("--id", "mail", "--payload", "x");
        for (String json : List.of("--json", "--prefix=dibs_")) {
            run(0, "token", "peek", "--purpose=p", json, token);
        }
        note(0, cli.runWith(token, "token", "peek", "--purpose", "p", "-"));
        run(0, "token", "consume", "--purpose", "p", "--attempt", "a", token);
        run(0, "token", "consume", "--purpose", "p", "--attempt", "a", "--json", token);
        run(77, "token", "consume", "--purpose", "p", token);
        run(1, "token", "revoke", "--purpose", "p", token);
        String revoked = issue("--one-per-subject");
        run(0, "token", "revoke", "--purpose", "p", revoked);
        run(77, "token", "peek", "--purpose", "p", revoked);
        run(0, "token", "stats");
        run(0, "token", "purge", "--purpose", "p");
        assertNothingIsSeenOf(token, revoked);
    }

    @Test
    void noMistakePrintsATokensSecret() throws Exception {
        String token = issue();
        // -h.. is a request for help where no token is expected; likewise h.. behind a hyphen.
        while (!token.matches("[0-9][0-9A-Za-z].*")) {
            token = issue();
        }
        run(2, "token", "consume", token);
        run(2, "token", "consume", "--purpose", "p", token, token);
        run(2, "token", "consume", "--purpose", "p", token + "x", token + "y");
        run(2, "token", "consume", "--purpose", "p", token, token.substring(1));
        run(2, "token", "peek", "--purpose", "p", "--tokn=" + token);
        run(2, "token", "peek", "--purpose", "p", "--" + token);
        run(2, "token", "peek", "--purpose", "p", "--json=" + token, token);
        run(2, "token", "revoke", "--purpose", "p", "--subject", "ann", token);
        run(2, "token", "issue", "--purpose", "p", "--subject", "ann", "--ttl", token);
        run(2, "token", "issue", "--purpose", "p", "--subject", "ann", "--ttl", "10m", token);
        run(2, "token", "issue", "--purpose", "p", "--subject", "ann", "--ttl", "10m", "--digits", token);
        run(2, "token", "purge", "--purpose", "p", token);
        run(2, "token", "purge", "--purpose", "p", "--keep", token);
        run(2, "token", "stats", token);
        run(2, "token", token);
        run(2, "token", "-" + token);
        run(0, "token", "peek", "--help", token);
        run(2, "token", "consume", "--purpose", "p", "--prefix", "none_", token);
        run(2, "token", "consume", "--purpose", "p", "--url", "jdbc:foo:x", token);
        run(2, "token", "consume", "--purpose", "p", "--schema", "a b", token);
        assertNothingIsSeenOf(token);
    }

    @Test
    void noOutputHasACodeOrTheKey() throws Exception {
        String code = issue("--digits", "8");
        String wrong = code.equals("12345678") ? "87654321" : "12345678";
        String[] consume = {
            "token", "consume", "--purpose", "p", "--subject", "ann", "--pepper-file", pepper, "--code", wrong
        };
        run(77, consume);
        run(2, "token", "consume", "--purpose", "p", "--subject", "ann", "--code", code);
        run(2, "token", "consume", "--purpose", "p", "--code", code, "--pepper-file", pepper);
        run(2, "token", "consume", "--purpose", "p", "--subject", "ann", "--cod", code);
        run(2, "token", "consume", "--purpose", "p", "--subject", "ann", "--code", code, code);
        run(2, "token", "consume", "--purpose", "p", "--subject", "ann", "--max-attempts", code, "--code", code);
        run(2, "token", "issue", "--purpose", "p", "--subject", "ann", "--ttl", "10m", "--digits", code);
        run(2, "token", "issue", "--purpose=p", "--subject=a", "--ttl=1m", "--pepper-file", pepper, "--digits", code);
        run(
                2,
                "token",
                "consume",
                "--purpose=p",
                "--subject=ann",
                "--pepper-file",
                pepper,
                "--max-attempts",
                "0" + code,
                "--code=1");
        run(2, "token", code);
        consume[9] = code;
        run(0, consume);
        run(77, consume);
        run(0, "token", "stats", "--json");
        assertNothingIsSeenOf(code, wrong);
    }

    /** The database has none of them, either. */
    private void assertNothingIsSeenOf(String... secrets) throws SQLException, NoSuchAlgorithmException {
        String output = String.join("\n", seen).toLowerCase(Locale.ROOT);
        assertThat(output).contains("dibs: ").doesNotContain(PEPPER).doesNotContain(hex(PEPPER));
        String dump = dump();
        for (String secret : secrets) {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(secret.getBytes(StandardCharsets.US_ASCII));
            String start = secret.substring(0, Math.min(secret.length(), 20)).toLowerCase(Locale.ROOT);
            for (String trace : List.of(start, hex(secret), HexFormat.of().formatHex(digest))) {
                assertThat(seen)
                        .filteredOn(entry -> entry.toLowerCase(Locale.ROOT).contains(trace))
                        .isEmpty();
            }
            assertThat(dump).doesNotContain(secret).doesNotContain(hex(secret));
        }
        for (String stored : digests()) {
            assertThat(output).doesNotContain(stored);
        }
    }

    private static String hex(String text) {
        return HexFormat.of().formatHex(text.getBytes(StandardCharsets.US_ASCII));
    }

    private String dump() throws SQLException {
        return String.join("\n", query("SCRIPT"));
    }

    private List<String> digests() throws SQLException {
        List<String> digests = query("SELECT rawtohex(digest) FROM dibs_token");
        assertThat(digests).isNotEmpty();
        return digests.stream().map(text -> text.toLowerCase(Locale.ROOT)).toList();
    }

    private List<String> query(String sql) throws SQLException {
        return Sql.on(new DriverDataSource(url, "sa", "geheimnis")).texts(sql);
    }
}
