/** One-time tokens and short codes; {@code Dibs.tokens(..)} is the entry point. */
@NullMarked
package dev.dibs.tokens;

import org.jspecify.annotations.NullMarked;
