package dev.dibs.claims;

/**
 * What {@link Claim#completeAndClaim} did.
 *
 * @param completed what became of the rows that were to be completed
 * @param next the claim of the next rows, which may be empty
 * @param <T> what a row is mapped to
 */
public record NextClaim<T>(ClaimResult completed, Claim<T> next) {}
