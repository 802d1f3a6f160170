package dev.dibs.runs;

import dev.dibs.claims.RowKey;
import java.time.Instant;

/**
 * A dead letter: a row that a run has given up.
 *
 * @param key the row's key, as {@link RowKey#toString} writes it; its beginning and a digest if it has more than 400 characters
 * @param attempts how many attempts were made
 * @param failedAt when the last attempt failed, by the database's clock
 * @param message the message of the last failure
 */
public record DeadLetter(String key, long attempts, Instant failedAt, String message) {}
