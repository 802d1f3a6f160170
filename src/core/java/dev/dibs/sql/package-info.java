/** Loads, overlays, binds and runs the statement files; not exported. {@link dev.dibs.sql.Database} is the entry point. */
@NullMarked
package dev.dibs.sql;

import org.jspecify.annotations.NullMarked;
