/** The meaning of the database's errors, and texts without secrets. Not exported. */
@NullMarked
package dev.dibs.internal.sql.errors;

import org.jspecify.annotations.NullMarked;
