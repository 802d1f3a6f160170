package dev.dibs.contract.tokens;

import dev.dibs.DatabaseFailureException;
import dev.dibs.Dibs;
import dev.dibs.contract.support.Fixture;
import dev.dibs.tokens.OneTimeTokens;
import dev.dibs.tokens.TokenResult;
import dev.dibs.tokens.TokenStatus;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Predicate;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** After a lost answer, a token is used exactly once; and no error reveals a secret. */
@Tag("fault")
class TokenFaultContract extends Fixture {
    private static final Logger LOG = Logger.getLogger("dev.dibs");

    static {
        // For good: this test runs on other databases at the same time.
        LOG.setLevel(Level.ALL);
    }

    /** The statements about tokens, without those of the purge in the background. */
    static final Predicate<String> ANY = sql -> sql.contains("dibs_token") && !sql.contains("DELETE");

    @Test
    void aTokenWhoseAnswerWasLostIsStillTheCallers() {
        OneTimeTokens tokens = overFaulty().tokens(fresh("lost"));
        for (int step = 1; step <= database().statementsOfConsume(); step++) {
            String token = tokens.issue("ann", TokenContract.TTL, "payload");
            faulty().on(ANY).time(step).loseAnswer();
            TokenResult result = tokens.consume(token);
            assertThat(faulty().struck()).hasSize(step);
            assertThat(result.isOk()).isTrue();
            assertThat(result.payload()).hasValue("payload");
            faulty().heal();
            assertThat(tokens.consume(token).status()).isEqualTo(TokenStatus.USED);
        }
    }

    @Test
    void lostAndRolledBackStatementsAreSentAgain() {
        OneTimeTokens tokens = overFaulty().tokens(fresh("again"));
        String token = tokens.issue("ann", TokenContract.TTL);
        faulty().on(ANY).time(1).loseStatement();
        assertThat(tokens.consume(token).isOk()).isTrue();
        faulty().heal();
        String other = tokens.issue("ann", TokenContract.TTL);
        faulty().on(ANY).time(1).fail("40001", 0);
        assertThat(tokens.consume(other).isOk()).isTrue();
    }

    @Test
    void aTokenWhoseIssueWasNotAnsweredIsThereOnce() {
        for (OneTimeTokens tokens : List.of(
                overFaulty().tokens(fresh("issued")),
                overFaulty().tokens(fresh("sole")).onePerSubject())) {
            faulty().on(ANY).time(1).loseAnswer();
            String token = tokens.issue("ann", TokenContract.TTL);
            faulty().heal();
            assertThat(tokens.list("ann")).hasSize(1);
            assertThat(tokens.consume(token).isOk()).isTrue();
        }
    }

    /** Whichever answer of its transaction is lost, that of the commit, too. */
    @Test
    void aSuccessorWhoseIssueWasNotAnsweredIsTheLiveOne() {
        OneTimeTokens tokens =
                overFaulty().tokens(fresh("sole")).onePerSubject().pepper(TokenContract.PEPPER);
        String former = tokens.issue("ann", TokenContract.TTL, null, "before");
        Predicate<String> any = ANY.or("COMMIT"::equals);
        for (int step = 1; step <= 3; step++) {
            faulty().on(any).time(step).loseAnswer();
            String token = tokens.issue("ann", TokenContract.TTL, null, "mail-" + step);
            faulty().heal();
            assertThat(tokens.peek(former).status()).isEqualTo(TokenStatus.REVOKED);
            assertThat(tokens.peek(token).isOk()).isTrue();
            assertThat(tokens.counts().live()).isEqualTo(1);
            former = token;
        }
    }

    @Test
    void aRevocationWhoseAnswerWasLostWasTheCallers() {
        OneTimeTokens tokens = overFaulty().tokens(fresh("revoked"));
        String token = tokens.issue("ann", TokenContract.TTL);
        faulty().on(ANY).time(1).loseAnswer();
        assertThat(tokens.revoke(token)).isTrue();
        faulty().heal();
        assertThat(tokens.revoke(token)).as("it is over already").isFalse();
        String used = tokens.issue("ann", TokenContract.TTL);
        assertThat(tokens.consume(used).isOk()).isTrue();
        faulty().on(ANY).time(1).loseAnswer();
        assertThat(tokens.revoke(used)).as("it was used before").isFalse();
    }

    @Test
    void aCodeWhoseAnswerWasLostIsStillTheCallers() {
        OneTimeTokens tokens = overFaulty().tokens(fresh("code")).pepper(TokenContract.PEPPER);
        faulty().on(ANY).time(1).loseAnswer();
        String code = tokens.issueCode("ann", TokenContract.TTL, 6);
        faulty().heal();
        faulty().on(ANY).time(1).loseAnswer();
        assertThat(tokens.consumeCode("ann", code).isOk()).isTrue();
        faulty().heal();
        assertThat(tokens.consumeCode("ann", code).status()).isEqualTo(TokenStatus.USED);
    }

    @Test
    void nothingInTheCallersTransactionIsSentAgain() throws Exception {
        Connection connection = closing(faulty().getConnection());
        OneTimeTokens tokens = here().tokens(fresh("joined"));
        String token = tokens.issue("ann", TokenContract.TTL);
        connection.setAutoCommit(false);
        faulty().on(ANY).time(1).fail("40001", 0);
        assertFails(() -> tokens.consume(connection, token), "Roll back");
        connection.rollback();
        connection.setAutoCommit(true);
        assertThat(tokens.consume(token).isOk()).isTrue();
    }

    @Test
    void statementsPerTokenOperation() {
        OneTimeTokens tokens = dibs(counting()).tokens(fresh("cost")).purgeEvery(java.time.Duration.ZERO);
        counting().reset();
        String token = tokens.issue("ann", TokenContract.TTL);
        assertThat(counting().statements()).as("issue").hasSize(1);
        counting().reset();
        tokens.peek(token);
        assertThat(counting().statements()).as("peek").hasSize(1);
        counting().reset();
        assertThat(tokens.consume(token).isOk()).isTrue();
        assertThat(counting().statements()).as("consume").hasSize(database().statementsOfConsume());
        assertThat(counting().commits() + counting().rollbacks() + counting().autoCommitChanges())
                .isZero();
    }

    /** Neither a dump of the table, nor an error, nor the log at its finest contains a usable secret. */
    @Test
    void noSecretIsInTheTableOrInAnError() throws Exception {
        // Other tests log on threads of their own.
        List<String> texts = new CopyOnWriteArrayList<>();
        Handler handler = keeping(texts);
        LOG.addHandler(handler);
        List<String> secrets = new ArrayList<>();
        String purpose = fresh("secrets");
        try (Dibs dibs = overFaulty()) {
            OneTimeTokens tokens = dibs.tokens(purpose).pepper(TokenContract.PEPPER);
            secrets.add(tokens.issue("ann", TokenContract.TTL));
            secrets.add(tokens.issue("ann", TokenContract.TTL, "payload"));
            secrets.add(tokens.issue("ann", TokenContract.TTL, null, "an id"));
            secrets.add(tokens.issueCode("ann", TokenContract.TTL, 10));
            texts.add(String.valueOf(tokens.consume(secrets.get(0))));
            tokens.revoke(secrets.get(1));
            texts.add(String.valueOf(tokens.peek(secrets.get(1))));
            texts.add(tokens.list("ann") + " " + tokens.counts() + tokens);
            faulty().on(ANY).always().fail("42000", 0);
            for (Runnable failing : List.<Runnable>of(
                    () -> tokens.consume(secrets.get(2)),
                    () -> tokens.peek(secrets.get(2)),
                    () -> tokens.revoke(secrets.get(2)),
                    () -> tokens.consumeCode("ann", secrets.get(3)),
                    () -> tokens.issue("ann", TokenContract.TTL))) {
                texts.add(trace(catchThrowable(failing::run)));
            }
            faulty().heal();
        } finally {
            LOG.removeHandler(handler);
        }
        assertThat(dump(purpose)).hasSize(4);
        for (String secret : secrets) {
            for (String form : forms(secret)) {
                assertThat(dump(purpose)).as("the table").noneMatch(row -> row.contains(form));
                assertThat(texts).as("what was reported").noneMatch(text -> text.contains(form));
            }
            String digest = HexFormat.of().formatHex(sha256(secret));
            assertThat(texts).noneMatch(text -> text.toLowerCase(Locale.ROOT).contains(digest));
        }
        for (String form : forms(new String(TokenContract.PEPPER, StandardCharsets.US_ASCII))) {
            assertThat(texts).noneMatch(text -> text.contains(form));
            assertThat(dump(purpose)).noneMatch(row -> row.contains(form));
        }
        assertThat(String.join("", dump(purpose)))
                .as("it does see what is there")
                .contains(HexFormat.of().formatHex(sha256(secrets.get(0))));
    }

    private static byte[] sha256(String text) throws Exception {
        return MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.US_ASCII));
    }

    /** The text itself, in hexadecimal, and its decoded base64. */
    private static List<String> forms(String secret) {
        List<String> forms = new ArrayList<>();
        forms.add(secret);
        forms.add(HexFormat.of().formatHex(secret.getBytes(StandardCharsets.US_ASCII)));
        if (secret.length() == 43) {
            forms.add(HexFormat.of().formatHex(Base64.getUrlDecoder().decode(secret)));
        }
        return forms;
    }

    /** All rows of a purpose, with every text and every binary value in them. */
    private List<String> dump(String purpose) throws Exception {
        return sql().rows(
                        row -> {
                            StringBuilder text = new StringBuilder();
                            for (int i = 1; i <= row.getMetaData().getColumnCount(); i++) {
                                Object value = row.getObject(i);
                                String hex = value instanceof byte[] bytes
                                        ? HexFormat.of().formatHex(bytes)
                                        : "";
                                text.append(value instanceof Number ? "" : hex.isEmpty() ? value : hex)
                                        .append(' ');
                            }
                            return text.toString();
                        },
                        "SELECT * FROM dibs_token WHERE purpose = ?",
                        purpose);
    }

    private static String trace(Throwable failure) {
        assertThat(failure).isInstanceOf(DatabaseFailureException.class);
        StringWriter text = new StringWriter();
        failure.printStackTrace(new PrintWriter(text));
        return text.toString();
    }

    private static Handler keeping(List<String> texts) {
        SimpleFormatter format = new SimpleFormatter();
        Handler handler = new Handler() {
            @Override
            public void publish(LogRecord message) {
                texts.add(format.format(message));
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        };
        handler.setLevel(Level.ALL);
        return handler;
    }
}
