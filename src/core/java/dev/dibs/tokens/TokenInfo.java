package dev.dibs.tokens;

import java.time.Instant;

/**
 * A token that was issued, without its secret.
 *
 * @param code whether it is a short code
 * @param issued when it was issued, by the database's clock
 * @param status OK while it is live
 * @param when when it expires, or when it was used, expired or was revoked
 */
public record TokenInfo(boolean code, Instant issued, TokenStatus status, Instant when) {}
