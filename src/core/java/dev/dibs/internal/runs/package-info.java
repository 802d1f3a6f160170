/** How workers go through the rows of a run. Not exported. */
@NullMarked
package dev.dibs.internal.runs;

import org.jspecify.annotations.NullMarked;
