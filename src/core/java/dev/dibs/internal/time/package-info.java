/** Clocks, deadlines, pauses and background loops. Not exported. */
@NullMarked
package dev.dibs.internal.time;

import org.jspecify.annotations.NullMarked;
