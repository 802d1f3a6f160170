package dev.dibs.contract.tokens;

import dev.dibs.DatabaseFailureException;
import dev.dibs.Dibs;
import dev.dibs.contract.support.ContractFixture;
import dev.dibs.contract.support.Ledger;
import dev.dibs.database.Core;
import dev.dibs.database.Sql;
import dev.dibs.tokens.OneTimeTokens;
import dev.dibs.tokens.TokenInfo;
import dev.dibs.tokens.TokenResult;
import dev.dibs.tokens.TokenStatus;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The life of a token: issued, looked at, used once, and remembered. */
@Core
class TokenContract extends ContractFixture {

    static final Duration TTL = Duration.ofMinutes(15);
    static final byte[] PEPPER =
            "an example, and so not secret at all".getBytes(java.nio.charset.StandardCharsets.US_ASCII);

    private OneTimeTokens tokens(Dibs dibs) {
        return dibs.tokens(fresh("purpose"));
    }

    @Test
    void aTokenIsUsedOnceAndRemembered() throws SQLException {
        OneTimeTokens resets = tokens(here());
        String token = resets.issue("ann", TTL, "a payload: ü 漢 😀");
        assertThat(token).matches("[A-Za-z0-9_-]{43}");

        TokenResult seen = resets.peek(token);
        assertThat(seen.status()).isEqualTo(TokenStatus.OK);
        assertThat(Duration.between(seen.issued().orElseThrow(), seen.when().orElseThrow()))
                .isCloseTo(TTL, Duration.ofSeconds(1));

        TokenResult used = resets.consume(token);
        assertThat(used.isOk()).isTrue();
        assertThat(used.subject()).hasValue("ann");
        assertThat(used.payload()).hasValue("a payload: ü 漢 😀");
        assertThat(used.issued()).isEqualTo(seen.issued());
        assertThat(used.when().orElseThrow()).isAfterOrEqualTo(used.issued().orElseThrow());

        String row = row(resets);
        for (int i = 0; i < 3; i++) {
            TokenResult again = resets.consume(token);
            assertThat(again.status()).isEqualTo(TokenStatus.USED);
            assertThat(again.when()).as("when first").isEqualTo(used.when());
            assertThat(again.payload()).isEmpty();
            assertThat(again.sameAttempt()).isFalse();
        }
        assertThat(row(resets)).as("nothing is written").isEqualTo(row);
    }

    /** All columns of the purpose's one row. */
    private String row(OneTimeTokens tokens) throws SQLException {
        return sql().wholeRows("SELECT * FROM dibs_token WHERE purpose = ?", tokens.purpose())
                .get(0);
    }

    @Test
    void aTokenOfOnePurposeIsUnknownToAnother() {
        OneTimeTokens resets = tokens(here());
        OneTimeTokens links = tokens(here());
        String token = resets.issue("ann", TTL);
        assertThat(links.peek(token).status()).isEqualTo(TokenStatus.UNKNOWN);
        assertThat(links.consume(token).status()).isEqualTo(TokenStatus.UNKNOWN);
        assertThat(links.revoke(token)).isFalse();
        assertThat(resets.consume(token).isOk()).isTrue();
    }

    @Test
    void aTokenThatIsNotUsedInTimeHasExpired() throws InterruptedException {
        OneTimeTokens resets = tokens(here());
        String token = resets.issue("ann", Duration.ofMillis(30));
        Thread.sleep(60);
        assertThat(resets.peek(token).status()).isEqualTo(TokenStatus.EXPIRED);
        TokenResult late = resets.consume(token);
        assertThat(late.status()).isEqualTo(TokenStatus.EXPIRED);
        assertThat(late.when().orElseThrow()).isBefore(Instant.now());
        assertThat(resets.revoke(token)).as("it is over already").isFalse();
        assertThat(resets.revokeAll("ann")).as("so are they all").isZero();
        assertThat(resets.peek(token).status()).isEqualTo(TokenStatus.EXPIRED);
    }

    @Test
    void aRevokedTokenIsOfNoUse() {
        OneTimeTokens resets = tokens(here());
        String token = resets.issue("ann", TTL);
        String used = resets.issue("ann", TTL);
        assertThat(resets.consume(used).isOk()).isTrue();
        assertThat(resets.revoke(token)).isTrue();
        assertThat(resets.revoke(token)).isFalse();
        assertThat(resets.revoke(used)).isFalse();
        assertThat(resets.consume(token).status()).isEqualTo(TokenStatus.REVOKED);
        assertThat(resets.consume(used).status()).isEqualTo(TokenStatus.USED);
    }

    @Test
    void allOfASubjectAreRevokedAndListed() {
        OneTimeTokens resets = tokens(here()).pepper(PEPPER);
        String first = resets.issue("ann", TTL);
        resets.issue("ann", TTL, "secret payload");
        String other = resets.issue("Ann", TTL);
        String code = resets.issueCode("ann", TTL, 6);
        assertThat(resets.consume(first).isOk()).isTrue();

        assertThat(resets.list("ann"))
                .hasSize(3)
                .extracting(TokenInfo::status)
                .containsExactlyInAnyOrder(TokenStatus.USED, TokenStatus.OK, TokenStatus.OK);
        assertThat(resets.list("ann")).filteredOn(TokenInfo::code).hasSize(1);
        assertThat(resets.list("ann").toString()).doesNotContain("secret payload", first, code);

        assertThat(resets.revokeAll("ann")).isEqualTo(2);
        assertThat(resets.revokeAll("ann")).isZero();
        assertThat(resets.list("ann"))
                .extracting(TokenInfo::status)
                .containsExactlyInAnyOrder(TokenStatus.USED, TokenStatus.REVOKED, TokenStatus.REVOKED);
        assertThat(resets.consumeCode("ann", code).status()).isEqualTo(TokenStatus.REVOKED);
        assertThat(resets.consume(other).isOk()).as("subjects are exact").isTrue();
    }

    @Test
    void tokensAreCountedByState() throws InterruptedException {
        OneTimeTokens resets = tokens(here());
        resets.issue("ann", TTL);
        resets.consume(resets.issue("ann", TTL));
        resets.revoke(resets.issue("ann", TTL));
        resets.issue("ann", Duration.ofMillis(1));
        resets.issue("ann", Duration.ofMillis(1));
        Thread.sleep(20);
        assertThat(resets.counts()).isEqualTo(new dev.dibs.tokens.TokenCounts(resets.purpose(), 1, 1, 1, 2));
        assertThat(here().admin().tokenCounts()).contains(resets.counts());
        assertThat(tokens(here()).counts().live()).isZero();
    }

    @Test
    void onePerSubjectRevokesTheFormer() {
        OneTimeTokens resets = tokens(here()).onePerSubject();
        String first = resets.issue("ann", TTL);
        String other = resets.issue("bob", TTL);
        String second = resets.issue("ann", TTL);
        assertThat(resets.consume(first).status()).isEqualTo(TokenStatus.REVOKED);
        assertThat(resets.consume(second).isOk()).isTrue();
        String third = resets.issue("ann", TTL);
        assertThat(resets.consume(second).status()).as("used stays used").isEqualTo(TokenStatus.USED);
        assertThat(resets.consume(third).isOk()).isTrue();
        assertThat(resets.consume(other).isOk()).isTrue();
    }

    @Test
    void issuingUnderAnIdTwiceGivesOneToken() {
        String purpose = fresh("purpose");
        OneTimeTokens resets = here().tokens(purpose).pepper(PEPPER);
        String token = resets.issue("ann", TTL, "first", "mail-17");
        assertThat(there().tokens(purpose).pepper(PEPPER).issue("ann", TTL, "second", "mail-17"))
                .isEqualTo(token);
        assertThat(resets.issue("ann", TTL, "first", "mail-18")).isNotEqualTo(token);
        assertThat(resets.issue("bob", TTL, "first", "mail-17")).isNotEqualTo(token);
        assertThat(resets.consume(token).payload()).hasValue("first");
        assertThat(resets.issue("ann", TTL, "first", "mail-17")).isEqualTo(token);
        assertThat(resets.consume(token).status()).as("it is not live again").isEqualTo(TokenStatus.USED);
        assertThat(resets.list("ann")).hasSize(2);
        assertThatThrownBy(() -> here().tokens(purpose).issue("ann", TTL, null, "mail-17"))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("pepper");
    }

    /** A job that is started again after its successor. */
    @Test
    void issuingUnderAnIdAgainRevokesNoSuccessor() {
        OneTimeTokens resets = tokens(here()).pepper(PEPPER).onePerSubject();
        String first = resets.issue("ann", TTL, null, "mail-1");
        assertThat(resets.issue("ann", TTL, null, "mail-1")).isEqualTo(first);
        assertThat(resets.peek(first).isOk()).as("it is spared").isTrue();
        String second = resets.issue("ann", TTL, null, "mail-2");
        assertThat(resets.issue("ann", TTL, null, "mail-1")).isEqualTo(first);
        assertThat(resets.peek(first).status()).isEqualTo(TokenStatus.REVOKED);
        assertThat(resets.consume(second).isOk()).isTrue();
        String third = resets.issue("ann", TTL, null, "mail-3");
        assertThat(resets.issue("ann", TTL, null, "mail-2")).isEqualTo(second);
        assertThat(resets.peek(second).status()).isEqualTo(TokenStatus.USED);
        assertThat(resets.consume(third).isOk()).isTrue();
    }

    @Test
    void aRollbackKeepsTheTokenUnused() throws Exception {
        OneTimeTokens resets = tokens(here());
        String token = resets.issue("ann", TTL, "payload");
        Connection connection = transaction();
        assertThat(resets.consume(connection, token).payload()).hasValue("payload");
        assertThat(resets.consume(connection, token).status()).isEqualTo(TokenStatus.USED);
        connection.rollback();
        assertThat(resets.peek(token).status()).isEqualTo(TokenStatus.OK);
        assertThat(resets.consume(connection, token).isOk()).isTrue();
        connection.commit();
        assertThat(resets.consume(connection, token).status()).isEqualTo(TokenStatus.USED);
        assertThat(resets.consume(connection, "nonsense").status()).isEqualTo(TokenStatus.UNKNOWN);
        connection.commit();
        connection.setAutoCommit(true);
        assertThat(resets.consume(token).status()).isEqualTo(TokenStatus.USED);
        assertThatThrownBy(() -> resets.consume(connection, token))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("setAutoCommit(false)");
    }

    /** The transaction's snapshot is older than the commit that used the token. */
    @Test
    void anOldSnapshotDoesNotConsumeAgain() throws Exception {
        Ledger seen = new Ledger("ledger_" + COUNT.incrementAndGet());
        seen.make(pool());
        for (int isolation : List.of(
                Connection.TRANSACTION_READ_COMMITTED,
                Connection.TRANSACTION_REPEATABLE_READ,
                Connection.TRANSACTION_SERIALIZABLE)) {
            try (Dibs dibs = dibs();
                    Connection connection = pool().getConnection()) {
                OneTimeTokens resets = tokens(dibs);
                String token = resets.issue("ann", TTL);
                int before = connection.getTransactionIsolation();
                connection.setTransactionIsolation(isolation);
                connection.setAutoCommit(false);
                try (Statement look = connection.createStatement()) {
                    look.executeQuery("SELECT count(*) FROM " + seen.table()).close();
                    assertThat(resets.consume(token).isOk()).isTrue();
                    TokenStatus status = resets.consume(connection, token).status();
                    assertThat(status).isEqualTo(TokenStatus.USED);
                } catch (DatabaseFailureException refused) {
                    assertThat(refused).hasMessageContaining("Roll back");
                } finally {
                    connection.rollback();
                    connection.setAutoCommit(true);
                    connection.setTransactionIsolation(before);
                }
            }
        }
        seen.drop(pool());
    }

    @Test
    void expiryUsesTheDatabasesClock() {
        OneTimeTokens resets = tokens(here());
        Instant before = Instant.now();
        Instant issued = resets.peek(resets.issue("ann", TTL)).issued().orElseThrow();
        assertThat(issued).isBetween(before.minusSeconds(5), Instant.now().plusSeconds(5));
    }

    /** A used token stays used, whatever the time. */
    @Test
    void aClockThatIsSetBackMakesNoTokenLiveAgain() throws Exception {
        Connection connection = connection();
        OneTimeTokens resets = tokens(here()).pepper(PEPPER);
        String used = resets.issue("ann", TTL);
        resets.consume(used);
        String revoked = resets.issue("ann", TTL);
        resets.revoke(revoked);
        String code = resets.issueCode("ann", TTL, 6);
        resets.consumeCode("ann", code);
        assertThat(Sql.on(connection)
                        .change(
                                "UPDATE dibs_token SET used_at = used_at + 3600000 WHERE purpose = ?",
                                resets.purpose()))
                .isEqualTo(3);
        assertThat(resets.consume(used).status()).isEqualTo(TokenStatus.USED);
        assertThat(resets.consume(revoked).status()).isEqualTo(TokenStatus.REVOKED);
        assertThat(resets.consumeCode("ann", code).status()).isEqualTo(TokenStatus.USED);
        assertThat(resets.revoke(used)).isFalse();
        assertThat(resets.revokeAll("ann")).isZero();
        assertThat(resets.counts().live()).isZero();
    }
}
