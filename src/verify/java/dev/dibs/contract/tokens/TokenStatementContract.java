package dev.dibs.contract.tokens;

import dev.dibs.contract.support.ContractFixture;
import dev.dibs.database.Sql;
import dev.dibs.internal.sql.call.Call;
import dev.dibs.internal.sql.call.Database;
import dev.dibs.internal.sql.call.Params;
import dev.dibs.internal.sql.errors.SqlFailure;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Single statements about tokens: the calls around them could hide an error. */
class TokenStatementContract extends ContractFixture {

    static final Duration LIMIT = Duration.ofSeconds(20);
    static final long FAR = 9_000_000_000_000L;

    @Test
    void aTokenThatIsIssuedTwiceIsThereOnce() throws Exception {
        Database database = asked(pool(), "dibs_");
        Params params = token(fresh("twice"), 1);
        call(database, "issue_token", params);
        call(database, "issue_token", params);
        assertThat(call(database, "peek_token", params).rows()).hasSize(1);
    }

    /** However many others would come first in a batch. */
    @Test
    void aBatchOfAPurgeIsOfThoseThatMayGo() throws Exception {
        Connection connection = connection();
        Database database = asked(pool(), "dibs_");
        String purpose = fresh("purge");
        for (int i = 1; i <= 5; i++) {
            call(database, "issue_token", token(purpose, i));
        }
        ended(connection, purpose, 4, 1, 0);
        ended(connection, purpose, 1, 1, Long.MAX_VALUE / 2);
        Params purge = Params.of("purpose", purpose)
                .with("retention", 1000)
                .with("batch", 1)
                .with("since", 0);
        assertThat(call(database, "purge_tokens", purge).hit()).isTrue();
        assertThat(call(database, "purge_tokens", purge).hit())
                .as("there is no other")
                .isFalse();
        for (int i = 1; i <= 5; i++) {
            assertThat(call(database, "peek_token", token(purpose, i)).hit())
                    .as("token " + i)
                    .isEqualTo(i != 4);
        }
    }

    /** To change an index would take a use up to twice as long. */
    @Test
    void aUseChangesNoColumnOfAnIndex() throws Exception {
        Database database = asked(pool(), "dibs_");
        String purpose = fresh("indexed");
        Params alone = token(purpose, 1).with("owner", "owner-1").with("attempt", "attempt");
        call(database, "issue_token", alone);
        Params code = token(purpose, 2)
                .with("owner", "owner-2")
                .with("attempt", "attempt")
                .with("tries", 3)
                .with("window", 60_000);
        call(database, "issue_code", code);
        List<String> before = indexed(purpose);
        call(database, "consume_token", alone);
        call(database, "try_code", code);
        assertThat(states(database, purpose)).isEqualTo(Map.of("used", 2L));
        assertThat(indexed(purpose)).isEqualTo(before);
    }

    /** The rows, with the columns that are in an index. */
    private List<String> indexed(String purpose) throws SQLException {
        return sql().rows(
                        row -> HexFormat.of().formatHex(row.getBytes(1)) + " " + row.getString(2) + " "
                                + row.getString(3) + " " + row.getLong(4),
                        "SELECT digest, subject, id, ends_at FROM dibs_token WHERE purpose = ? ORDER BY digest",
                        purpose);
    }

    /** Neither in a message nor in a cause: both may get into a log. */
    @Test
    void noErrorQuotesARow() throws Exception {
        Database database = asked(impatient(), "dibs_");
        String purpose = fresh("quoted");
        Params first = token(purpose, 1).with("subject", "a-subject").with("payload", "a-payload");
        call(database, "issue_new_token", first);
        Params use = first.with("owner", "an-owner").with("attempt", "an-attempt");
        List<SqlFailure> failures = new ArrayList<>();
        failures.add(failure(database, "issue_new_token", first));
        Connection other = transaction();
        ended(other, purpose, 1, FAR, 0);
        failures.add(failure(database, "consume_token", use));
        other.rollback();
        assertThat(failures.get(0).isConstraint()).isTrue();
        assertThat(failures.get(1).toRetry()).isEqualTo(SqlFailure.Outcome.ROLLED_BACK);
        for (SqlFailure failure : failures) {
            StringWriter trace = new StringWriter();
            failure.printStackTrace(new PrintWriter(trace));
            assertThat(trace.toString().toLowerCase(Locale.ROOT))
                    .doesNotContain("a-subject", "a-payload", "an-owner", "an-attempt", purpose, "010000000000");
        }
    }

    private static SqlFailure failure(Database database, String statement, Params params) {
        return catchThrowableOfType(SqlFailure.class, () -> call(database, statement, params));
    }

    /** Not with the issue: else the tries of two windows would fit into a moment. */
    @Test
    void aWindowOfWrongCodesBeginsWithTheFirst() throws Exception {
        Database database = asked(pool(), "dibs_");
        String purpose = fresh("window");
        Params code = token(purpose, 1)
                .with("owner", "nobody")
                .with("attempt", "nobody")
                .with("tries", 3)
                .with("window", 60_000);
        call(database, "issue_code", code);
        call(database, "issue_code", code);
        assertThat(windowUntil(purpose)).as("nobody has tried").isZero();
        call(database, "try_code", code.with("digest", digest(2)));
        long window = windowUntil(purpose);
        assertThat(window).isPositive();
        call(database, "issue_code", code.with("digest", digest(3)));
        call(database, "try_code", code.with("digest", digest(4)));
        assertThat(windowUntil(purpose)).as("a new code does not move it").isEqualTo(window);
        call(database, "try_code", code.with("digest", digest(3)));
        assertThat(windowUntil(purpose)).isEqualTo(window);
    }

    private long windowUntil(String purpose) throws SQLException {
        return sql().number("SELECT window_until FROM dibs_token WHERE purpose = ?", purpose);
    }

    private static Map<String, Long> states(Database database, String purpose) throws Exception {
        Map<String, Long> states = new HashMap<>();
        database.call(
                "count_tokens",
                Params.of("purpose", purpose),
                LIMIT,
                row -> states.put(row.getString("state"), row.getLong("how_many")));
        return states;
    }

    private static void ended(Connection connection, String purpose, int number, long endsAt, long windowUntil)
            throws SQLException {
        assertThat(Sql.on(connection)
                        .change(
                                "UPDATE dibs_token SET ends_at = ?, window_until = ? WHERE purpose = ? AND digest = ?",
                                endsAt,
                                windowUntil,
                                purpose,
                                digest(number)))
                .isEqualTo(1);
    }

    private static Call<Boolean> call(Database database, String statement, Params params) throws Exception {
        return database.call(statement, params, LIMIT);
    }

    private static byte[] digest(int number) {
        byte[] digest = new byte[32];
        digest[0] = (byte) number;
        return digest;
    }

    private static Params token(String purpose, int number) {
        return Params.of("purpose", purpose)
                .with("digest", digest(number))
                .with("id", "id-" + number)
                .with("subject", "somebody")
                .with("payload", "none")
                .with("ttl", 600_000);
    }
}
