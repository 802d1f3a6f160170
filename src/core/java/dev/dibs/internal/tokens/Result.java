package dev.dibs.internal.tokens;

import dev.dibs.internal.values.Strings;
import dev.dibs.tokens.TokenResult;
import dev.dibs.tokens.TokenStatus;
import java.time.Instant;
import java.util.Optional;

record Result(
        TokenStatus status,
        Optional<String> subject,
        Optional<String> payload,
        Optional<Instant> issued,
        Optional<Instant> when,
        boolean sameAttempt,
        long attemptsLeft)
        implements TokenResult {

    static final TokenResult UNKNOWN = new Result(
            TokenStatus.UNKNOWN, Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty(), false, 0);

    /** For a code that is not consumed. */
    static TokenResult refused(TokenStatus status, String subject, Optional<Instant> when, long attemptsLeft) {
        return new Result(status, Optional.of(subject), Optional.empty(), Optional.empty(), when, false, attemptsLeft);
    }

    @Override
    public boolean isOk() {
        return status == TokenStatus.OK;
    }

    @Override
    public String toString() {
        return status
                + subject.map(text -> " of '" + Strings.escape(text) + "'").orElse("")
                + when.map(time -> " at " + time).orElse("")
                + (sameAttempt ? ", by the same attempt" : "")
                + (status == TokenStatus.WRONG ? ", " + attemptsLeft + " attempts left" : "");
    }
}
