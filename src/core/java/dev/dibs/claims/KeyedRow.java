package dev.dibs.claims;

/**
 * A claimed row and its key, which names the row in {@link Claim#complete(java.util.Collection) complete} and the like.
 *
 * @param key of the row
 * @param row what the mapper made of it; the key itself if there is no mapper
 * @param <T> the type that a row is mapped to
 */
public record KeyedRow<T>(RowKey key, T row) {}
