package dev.dibs.tokens;

import dev.dibs.internal.values.Texts;
import java.time.Instant;
import java.util.Optional;

/**
 * What became of an attempt to use a token or a code, or what a look at it showed.
 *
 * @param status whether it is good, and why not
 * @param subject whose it is, if there is such a token
 * @param payload what was issued with it, if the status is OK or the same attempt has used it before
 * @param issued when it was issued, if there is such a token
 * @param when when it was used (OK of consume, USED), expired (EXPIRED), revoked (REVOKED), expires (OK of peek), or when codes are taken again (LOCKED);
 *     by the database's clock
 * @param replays how often somebody has tried to use it after it was used, this time included
 * @param sameAttempt whether the attempt that has used it gave the same id as this one: it was this caller, whom the first answer
 *     did not reach
 * @param attemptsLeft of a WRONG code: how many wrong ones more until it is dead
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

    /** Whether this caller has it. */
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
