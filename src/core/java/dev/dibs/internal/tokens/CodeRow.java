package dev.dibs.internal.tokens;

import dev.dibs.tokens.TokenResult;
import dev.dibs.tokens.TokenStatus;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Optional;

/**
 * A code's row after a try.
 *
 * @param isRight whether the tried digest is that of the row
 */
record CodeRow(TokenRow token, long tries, long windowUntil, boolean isRight) {

    static CodeRow read(ResultSet row) throws SQLException {
        return new CodeRow(
                TokenRow.read(row), row.getLong("tries"), row.getLong("window_until"), row.getInt("is_right") == 1);
    }

    /**
     * The result for the call that has tried it; empty if a code was issued in between, which the call has not tried.
     *
     * @param most how many wrong tries there may be in a window
     */
    Optional<TokenResult> triedBy(String call, long most) {
        if (token.isOwnedBy(call)) {
            return token.triedBy(call, call);
        }
        TokenStatus status = token.status();
        if (status != TokenStatus.USED && tries >= most && windowUntil > token.readAt()) {
            return Optional.of(Result.refused(
                    TokenStatus.LOCKED, token.subject(), Optional.of(Instant.ofEpochMilli(windowUntil)), 0));
        }
        if (status == TokenStatus.OK) {
            return isRight
                    ? Optional.empty()
                    : Optional.of(Result.refused(TokenStatus.WRONG, token.subject(), Optional.empty(), most - tries));
        }
        // A caller that does not know the code must not learn its state.
        return isRight ? token.triedBy(call, call) : Optional.of(Result.UNKNOWN);
    }
}
