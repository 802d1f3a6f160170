/** Borrows connections, binds and runs statements. Not exported. The entry point is {@code Database}. */
@NullMarked
package dev.dibs.internal.sql.run;

import org.jspecify.annotations.NullMarked;
