/** Loads, overlays, binds and runs the statement files. Not exported. {@code Database} is the entry point. */
@NullMarked
package dev.dibs.internal.sql;

import org.jspecify.annotations.NullMarked;
