/** Gets leases: the loop that asks and waits, the requests of each kind, and the callers that wait. */
@NullMarked
package dev.dibs.internal.acquire;

import org.jspecify.annotations.NullMarked;
