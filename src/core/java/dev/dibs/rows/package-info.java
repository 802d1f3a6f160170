/** Claims on the rows of tables, and runs over them. */
@NullMarked
package dev.dibs.rows;

import org.jspecify.annotations.NullMarked;
