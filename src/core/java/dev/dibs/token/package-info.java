/** One-time tokens and short codes; {@link dev.dibs.token.OneTimeTokens} is the entry point. */
@NullMarked
package dev.dibs.token;

import org.jspecify.annotations.NullMarked;
