/**
 * One-time tokens and short codes; {@code Dibs.tokens(..)} is the entry point.
 *
 * <pre>{@code
 * OneTimeTokens resets = dibs.tokens("password-reset");
 * String token = resets.issue(accountId, Duration.ofMinutes(30));
 * TokenResult result = resets.consume(tx, token);           // used if, and only if, you commit
 * if (result.isOk()) {
 *     setPassword(tx, result.subject().orElseThrow(), hash);
 * }
 * }</pre>
 */
@NullMarked
package dev.dibs.tokens;

import org.jspecify.annotations.NullMarked;
