package dev.dibs.internal.tokens;

import dev.dibs.internal.sql.call.Call;
import dev.dibs.internal.sql.call.Database;
import dev.dibs.internal.sql.call.NamedStatement;
import dev.dibs.internal.sql.call.Params;
import dev.dibs.internal.sql.errors.SqlFailure;
import dev.dibs.internal.values.OwnerToken;
import dev.dibs.tokens.TokenCounts;
import dev.dibs.tokens.TokenInfo;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The statements of {@code tokens.sql} about one purpose, one method each. */
record TokenTable(Database database, String purpose) {

    /** Enough for a page. */
    private static final long MOST_LISTED = 1000;

    static final Duration TIMEOUT = Duration.ofSeconds(10);
    private static final NamedStatement<TokenRow> CONSUME = NamedStatement.of(
                    "consume_token", TokenRow::read, "purpose", "digest", "owner", "attempt")
            .stopsWhen((row, values) -> row.isOwnedBy((String) values[2]));
    private static final String CODE = "code";
    private static final String SOLE = "sole";

    /** A token to issue: its subject, its lifetime in milliseconds, its payload. */
    record Order(String subject, long ttl, @Nullable String payload) {}

    private Params params() {
        return Params.of("purpose", purpose);
    }

    private Params params(byte[] digest) {
        return params().with("digest", digest);
    }

    private Params params(byte[] digest, Order order) {
        return params(digest)
                .with("subject", order.subject())
                .with("ttl", order.ttl())
                .with("payload", order.payload());
    }

    /**
     * Adds a token, unless it exists.
     *
     * @param isNew whether it cannot have been issued before
     */
    void issue(byte[] digest, Order order, boolean isNew) throws SqlFailure {
        String statement = isNew ? "issue_new_token" : "issue_token";
        try {
            database.call(statement, params(digest, order).with("id", OwnerToken.next()), TIMEOUT);
        } catch (SqlFailure e) {
            // This call itself has added it and its answer was lost, or another one has, with the same id of the
            // caller. Else another constraint was violated.
            if (!isThere(e, digest)) {
                throw e;
            }
        }
    }

    /**
     * Adds a token and revokes the subject's former one, unless the token exists: then it changes nothing. Returns false if another one
     * was issued at the same instant.
     */
    boolean issueOnePerSubject(byte[] digest, Order order) throws SqlFailure {
        Params params = params(digest, order).with("id", SOLE).with("moved", OwnerToken.next());
        try {
            database.transact(
                    List.of(
                            Call.change(database.statements(), "supersede_token", params),
                            Call.change(database.statements(), "issue_new_token", params)),
                    TIMEOUT);
            return true;
        } catch (SqlFailure e) {
            if (isThere(e, digest)) {
                return true;
            }
            if (e.outcome() != SqlFailure.Outcome.DUPLICATE) {
                throw e;
            }
            return false;
        }
    }

    /** Whether a constraint has refused the token because it exists. */
    private boolean isThere(SqlFailure refused, byte[] digest) throws SqlFailure {
        return refused.isConstraint() && peek(digest).isPresent();
    }

    Optional<TokenRow> consume(byte[] digest, String owner, String attempt) throws SqlFailure {
        return database.call(CONSUME, TIMEOUT, purpose, digest, owner, attempt).first();
    }

    /** In the caller's transaction. */
    Optional<TokenRow> consume(Connection connection, byte[] digest, String owner) throws SqlFailure {
        return database.callOn(connection, CONSUME, purpose, digest, owner, owner)
                .first();
    }

    Optional<TokenRow> peek(byte[] digest) throws SqlFailure {
        return database.call("peek_token", params(digest), TIMEOUT, TokenRow::read)
                .first();
    }

    /**
     * Returns whether this call has ended a live token.
     *
     * @param owner the same if the call is sent again after a lost answer
     */
    boolean revoke(byte[] digest, String owner) throws SqlFailure {
        return database.call("revoke_token", params(digest).with("owner", owner), TIMEOUT)
                        .hit()
                || peek(digest).filter(row -> row.isOwnedBy(owner)).isPresent();
    }

    long revokeAll(String subject) throws SqlFailure {
        Call<Boolean> answer = database.call("revoke_tokens", params().with("subject", subject), TIMEOUT);
        return Math.max(answer.changed(), answer.rows().size());
    }

    List<TokenInfo> list(String subject) throws SqlFailure {
        Params params = params().with("subject", subject).with("n", MOST_LISTED);
        return database.call("list_tokens", params, TIMEOUT, TokenTable::info).rows();
    }

    private static TokenInfo info(ResultSet row) throws SQLException {
        long endsAt = row.getLong("ends_at");
        return new TokenInfo(
                row.getString("id").equals(CODE),
                Instant.ofEpochMilli(row.getLong("issued_at")),
                TokenRow.status(row.getString("ended"), endsAt, row.getLong("read_at")),
                Instant.ofEpochMilli(endsAt));
    }

    TokenCounts counts() throws SqlFailure {
        List<TokenCounts> counts = counts(database, "count_tokens", params());
        return counts.isEmpty() ? new TokenCounts(purpose, 0, 0, 0, 0) : counts.get(0);
    }

    static List<TokenCounts> counts(Database database) throws SqlFailure {
        return counts(database, "count_all_tokens", Params.none());
    }

    /** The counts for each purpose, in the order of the first mention. */
    private static List<TokenCounts> counts(Database database, String statement, Params params) throws SqlFailure {
        Map<String, Map<String, Long>> purposes = new LinkedHashMap<>();
        database.call(
                statement,
                params,
                TIMEOUT,
                row -> purposes.computeIfAbsent(row.getString("purpose"), name -> new HashMap<>())
                        .put(row.getString("state").strip(), row.getLong("how_many")));
        return purposes.entrySet().stream()
                .map(one -> counts(one.getKey(), one.getValue()))
                .toList();
    }

    private static TokenCounts counts(String purpose, Map<String, Long> states) {
        return new TokenCounts(
                purpose,
                states.getOrDefault("live", 0L),
                states.getOrDefault("used", 0L),
                states.getOrDefault("revoked", 0L),
                states.getOrDefault("expired", 0L));
    }

    void issueCode(byte[] digest, Order order) throws SqlFailure {
        database.call("issue_code", params(digest, order), TIMEOUT, row -> true);
    }

    Optional<CodeRow> tryCode(String subject, byte[] digest, String owner, long tries, Duration window)
            throws SqlFailure {
        Params params = params(digest)
                .with("subject", subject)
                .with("owner", owner)
                .with("attempt", owner)
                .with("tries", tries)
                .with("window", window.toMillis());
        return database.call("try_code", params, TIMEOUT, CodeRow::read).first();
    }

    /**
     * The result of a batch.
     *
     * @param count the number of deleted rows, or at least 1 if the database does not count
     * @param upTo where the next batch can begin: all rows before it are deleted or locked
     */
    record Purged(long count, long upTo) {

        /** Before the first batch. */
        static final Purged NOTHING = new Purged(0, 0);

        static Purged read(ResultSet row) throws SQLException {
            boolean hasUpTo = row.getMetaData().getColumnCount() > 1;
            return new Purged(row.getLong(1), hasUpTo ? row.getLong(2) : 0);
        }
    }

    /** Deletes a batch, after another one. */
    Purged purge(Duration retention, long batch, Purged before) throws SqlFailure {
        Params params = params().with("retention", retention.toMillis())
                .with("batch", batch)
                .with("since", before.upTo());
        Call<Purged> answer = database.call("purge_tokens", params, TIMEOUT, Purged::read);
        return answer.first().orElseGet(() -> new Purged(answer.changed(), 0));
    }
}
