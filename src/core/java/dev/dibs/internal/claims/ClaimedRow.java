package dev.dibs.internal.claims;

import dev.dibs.claims.RowKey;
import org.jspecify.annotations.Nullable;

/**
 * A row of a claim as it was read.
 *
 * @param value what the mapper made of it, unless it failed
 * @param unreadable why the mapper failed, or null
 */
public record ClaimedRow<T>(
        RowKey key, @Nullable T value, @Nullable Exception unreadable, Origin origin) {

    /** What the row was before it was claimed. */
    public enum Origin {
        FREE,
        /** Somebody had claimed it and vanished. */
        LEFT_OVER,
        /** Somebody had put it off. */
        POSTPONE;

        /** As the statements write it. */
        static Origin ofCode(int code) {
            return switch (code) {
                case 0 -> FREE;
                case 1 -> LEFT_OVER;
                default -> POSTPONE;
            };
        }
    }
}
