/** How rows are claimed, kept and completed. Not exported. */
@NullMarked
package dev.dibs.internal.claims;

import org.jspecify.annotations.NullMarked;
