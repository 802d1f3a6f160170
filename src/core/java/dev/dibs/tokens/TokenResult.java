package dev.dibs.tokens;

import java.time.Instant;
import java.util.Optional;

/**
 * The result of an attempt to use a token or a code, or of a look at a token.
 *
 * <p>Its text is for logs: it is without the payload, which may be as secret as the token. Dibs implements it, and later versions may
 * add methods.
 */
public interface TokenResult {

    /** Whether it is valid, and if not, why. */
    TokenStatus status();

    /** Whether this caller may go on: the token or code was valid. */
    boolean isOk();

    /** Its subject, if there is such a token. */
    Optional<String> subject();

    /** The text that was issued with it, if the status is OK or the same attempt used it before. */
    Optional<String> payload();

    /** When it was issued, if there is such a token. */
    Optional<Instant> issued();

    /**
     * When it was used (OK of consume, USED), expired (EXPIRED) or was revoked (REVOKED); when it expires (OK of peek); or when codes
     * are accepted again (LOCKED). By the database's clock.
     */
    Optional<Instant> when();

    /**
     * Whether this call has the same attempt id as the call that used it: it was this caller, and the first answer did not arrive.
     */
    boolean sameAttempt();

    /** Of a WRONG code: how many further wrong attempts are left. */
    long attemptsLeft();
}
