/** Reads the statement files of a dialect, overlays and expands them. Not exported. The entry point is {@code Statements}. */
@NullMarked
package dev.dibs.internal.sql.files;

import org.jspecify.annotations.NullMarked;
