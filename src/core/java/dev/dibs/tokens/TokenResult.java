package dev.dibs.tokens;

import dev.dibs.internal.values.Texts;
import java.time.Instant;
import java.util.Optional;

/**
 * The result of an attempt to use a token or a code, or of a look at a token.
 *
 * @param status whether it is valid, and if not, why
 * @param subject its subject, if there is such a token
 * @param payload the text that was issued with it, if the status is OK or the same attempt used it before
 * @param issued when it was issued, if there is such a token
 * @param when when it was used (OK of consume, USED), expired (EXPIRED) or was revoked (REVOKED); when it expires (OK of peek); or
 *     when codes are accepted again (LOCKED). By the database's clock
 * @param replays how many attempts there were to use it after it was used, with this one
 * @param sameAttempt whether this call has the same attempt id as the call that used it: it was this caller, and the first answer
 *     did not arrive
 * @param attemptsLeft of a WRONG code: how many further wrong attempts are left
 */
public record TokenResult(
        TokenStatus status,
        Optional<String> subject,
        Optional<String> payload,
        Optional<Instant> issued,
        Optional<Instant> when,
        long replays,
        boolean sameAttempt,
        long attemptsLeft) {

    /** Whether this caller may go on: the token or code was valid. */
    public boolean isOk() {
        return status == TokenStatus.OK;
    }

    /** For logs: without the payload, which may be as secret as the token. */
    @Override
    public String toString() {
        return status
                + subject.map(text -> " of '" + Texts.escape(text) + "'").orElse("")
                + when.map(time -> " at " + time).orElse("")
                + (replays > 0 ? ", replay " + replays : "")
                + (sameAttempt ? ", by the same attempt" : "")
                + (status == TokenStatus.WRONG ? ", " + attemptsLeft + " attempts left" : "");
    }
}
