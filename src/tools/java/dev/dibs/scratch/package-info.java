/** The SQL of tables that the command makes for itself and drops again. */
@NullMarked
package dev.dibs.scratch;

import org.jspecify.annotations.NullMarked;
