/** How tokens are issued and used. Not exported. */
@NullMarked
package dev.dibs.internal.tokens;

import org.jspecify.annotations.NullMarked;
