/** Sends acquires and releases of simultaneous callers together, several in one statement. */
@NullMarked
package dev.dibs.internal.batch;

import org.jspecify.annotations.NullMarked;
