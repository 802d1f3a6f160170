package dev.dibs.runs;

import dev.dibs.claims.RowKey;
import java.time.Instant;

/**
 * A failed attempt, or the reason why a worker had to end.
 *
 * @param key the row's key, as {@link RowKey#toString} writes it; empty if a worker ended
 * @param attempt the number of the row's attempt, from 1; 0 if a worker ended
 * @param worker the label of the worker
 * @param failedAt when it failed, by the database's clock
 * @param errorClass the class of the exception
 * @param message its message, up to 1,000 characters
 * @param stack the first lines of its stack trace, up to 4,000 characters
 */
public record RunError(
        String key, long attempt, String worker, Instant failedAt, String errorClass, String message, String stack) {}
