package dev.dibs.tokens;

import java.time.Instant;

/**
 * A token that was issued, without what it takes to use it.
 *
 * @param code whether it is a short code
 * @param issued when it was issued, by the database's clock
 * @param status OK while it is live
 * @param when when it expires or was used, expired or revoked
 * @param replays how often somebody tried to use it after it was used
 */
public record TokenInfo(boolean code, Instant issued, TokenStatus status, Instant when, long replays) {}
