/** Loads, overlays, binds and runs the statement files. Not exported. The entry point is {@code Database}. */
@NullMarked
package dev.dibs.internal.sql;

import org.jspecify.annotations.NullMarked;
