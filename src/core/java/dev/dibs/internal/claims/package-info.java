/** How rows are claimed, renewed and completed. Not exported. */
@NullMarked
package dev.dibs.internal.claims;

import org.jspecify.annotations.NullMarked;
