package dev.dibs.claims;

/**
 * The result of {@link Claim#completeAndClaim}.
 *
 * @param completed the outcome of the completion
 * @param next the claim of the next rows, which may be empty
 * @param <T> the type that a row is mapped to
 */
public record NextClaim<T>(ClaimResult completed, Claim<T> next) {}
