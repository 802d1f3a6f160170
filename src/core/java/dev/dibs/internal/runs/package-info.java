/** How the workers of a run process its rows. Not exported. */
@NullMarked
package dev.dibs.internal.runs;

import org.jspecify.annotations.NullMarked;
