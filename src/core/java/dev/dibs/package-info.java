/** Locks and leases over any {@code DataSource}; {@link dev.dibs.Dibs} is the entry point. */
@NullMarked
package dev.dibs;

import org.jspecify.annotations.NullMarked;
