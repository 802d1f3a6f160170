package dev.dibs.tokens;

/**
 * How many tokens and codes of a purpose the table has. Those that expired or were revoked long ago are purged and not counted.
 *
 * @param purpose the purpose of the tokens
 */
public record TokenCounts(String purpose, long live, long used, long revoked, long expired) {}
