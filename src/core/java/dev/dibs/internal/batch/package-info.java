/** Acquires and releases of callers who come at the same time, several by one statement. */
@NullMarked
package dev.dibs.internal.batch;

import org.jspecify.annotations.NullMarked;
