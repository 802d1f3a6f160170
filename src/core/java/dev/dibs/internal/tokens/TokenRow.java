package dev.dibs.internal.tokens;

import dev.dibs.tokens.TokenResult;
import dev.dibs.tokens.TokenStatus;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A token's row as a statement returned it. */
record TokenRow(
        String subject,
        @Nullable String payload,
        long issuedAt,
        long endsAt,
        @Nullable String ended,
        @Nullable String owner,
        @Nullable String attempt,
        long readAt) {

    /** The columns of the fragment {@code used_row}: each column more was measured to cost about 1 % of a consume. */
    private static final int USED_ROW = 5;

    static TokenRow read(ResultSet row) throws SQLException {
        boolean justUsed = row.getMetaData().getColumnCount() == USED_ROW;
        long endsAt = row.getLong("ends_at");
        return new TokenRow(
                row.getString("subject"),
                row.getString("payload"),
                row.getLong("issued_at"),
                endsAt,
                justUsed ? "used" : row.getString("ended"),
                row.getString("owner"),
                justUsed ? null : row.getString("attempt"),
                justUsed ? endsAt : row.getLong("read_at"));
    }

    boolean isOwnedBy(String call) {
        return call.equals(owner);
    }

    TokenStatus status() {
        return status(ended, endsAt, readAt);
    }

    /** The status: OK while the token is live. */
    static TokenStatus status(@Nullable String ended, long endsAt, long readAt) {
        if (ended == null) {
            return endsAt > readAt ? TokenStatus.OK : TokenStatus.EXPIRED;
        }
        return ended.equals("used") ? TokenStatus.USED : TokenStatus.REVOKED;
    }

    /** The result for a caller that only looks. */
    TokenResult seen() {
        return result(status(), status() == TokenStatus.OK, false);
    }

    /** The result for the call that has tried to use it; empty if it is still live, but not used by this call. */
    Optional<TokenResult> triedBy(String call, String byAttempt) {
        if (isOwnedBy(call)) {
            return Optional.of(result(TokenStatus.OK, true, false));
        }
        TokenStatus status = status();
        boolean same = status == TokenStatus.USED && byAttempt.equals(attempt);
        return status == TokenStatus.OK ? Optional.empty() : Optional.of(result(status, same, same));
    }

    /** The result for a transaction that sees it live but did not get it: another call has used it since the transaction began. */
    TokenResult usedMeanwhile() {
        return result(TokenStatus.USED, false, false);
    }

    private TokenResult result(TokenStatus status, boolean withPayload, boolean sameAttempt) {
        return new Result(
                status,
                Optional.of(subject),
                Optional.ofNullable(withPayload ? payload : null),
                Optional.of(Instant.ofEpochMilli(issuedAt)),
                Optional.of(Instant.ofEpochMilli(endsAt)),
                sameAttempt,
                0);
    }
}
