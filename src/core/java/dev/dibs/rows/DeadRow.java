package dev.dibs.rows;

import java.time.Instant;

/**
 * A row that a run has given up.
 *
 * @param key the row's key, as {@link RowKey#toString} writes it
 * @param attempts how often it was tried
 * @param failedAt when the last attempt failed, by the database's clock
 * @param message what it failed with
 */
public record DeadRow(String key, long attempts, Instant failedAt, String message) {}
