/** How leases are acquired, kept and released: locks, permits, read-write locks. Not exported. */
@NullMarked
package dev.dibs.internal.lease;

import org.jspecify.annotations.NullMarked;
