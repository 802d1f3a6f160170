package dev.dibs.internal.claims.store;

import dev.dibs.claims.RowKey;
import org.jspecify.annotations.Nullable;

/**
 * A row of a claim as it was read.
 *
 * @param value the mapper's result, unless it failed
 * @param unreadable the error of the mapper, or null
 */
public record ClaimedRow<T>(
        RowKey key, @Nullable T value, @Nullable Exception unreadable, Origin origin) {

    /** What the row was before it was claimed. */
    public enum Origin {
        FREE,
        /** A claim that expired had it. */
        LEFT_OVER,
        POSTPONE;

        /** The last two bits of the time until which a claim lasts record it: see lease_mark in claims.sql. */
        static Origin of(long until) {
            return switch ((int) until & 3) {
                case 0 -> FREE;
                case 1 -> LEFT_OVER;
                default -> POSTPONE;
            };
        }
    }
}
