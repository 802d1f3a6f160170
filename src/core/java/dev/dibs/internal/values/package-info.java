/** Checks and texts of plain values: arguments, names, tokens. Every package may use it. Not exported. */
@NullMarked
package dev.dibs.internal.values;

import org.jspecify.annotations.NullMarked;
