package dev.dibs.runs;

import dev.dibs.claims.RowKey;
import java.time.Instant;

/**
 * An attempt that failed, or why a worker ended that could not go on.
 *
 * @param key the row's key, as {@link RowKey#toString} writes it; empty if a worker ended
 * @param attempt which one of the row's it was, from 1; 0 if a worker ended
 * @param worker who made it
 * @param failedAt when, by the database's clock
 * @param errorClass the class of what was thrown
 * @param message its message, up to 1,000 characters
 * @param stack the first lines of its stack trace, up to 4,000 characters
 */
public record RunError(
        String key, long attempt, String worker, Instant failedAt, String errorClass, String message, String stack) {}
