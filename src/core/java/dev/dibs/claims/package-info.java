/** Claims on the rows of any table; {@code Dibs.claims(..)} is the entry point. */
@NullMarked
package dev.dibs.claims;

import org.jspecify.annotations.NullMarked;
