package dev.dibs.tokens;

/**
 * How many tokens and codes of a purpose the table has. What ended long ago is purged and not counted.
 *
 * @param purpose what they are for
 */
public record TokenCounts(String purpose, long live, long used, long revoked, long expired) {}
