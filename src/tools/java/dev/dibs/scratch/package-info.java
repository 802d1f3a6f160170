/** The SQL of scratch tables that the command creates and drops. */
@NullMarked
package dev.dibs.scratch;

import org.jspecify.annotations.NullMarked;
