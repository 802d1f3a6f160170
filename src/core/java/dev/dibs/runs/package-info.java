/** Named jobs over the rows of a table, and their switches; {@code Dibs.run(..)} is the entry point. */
@NullMarked
package dev.dibs.runs;

import org.jspecify.annotations.NullMarked;
