/** Holds leases: renews them, watches their deadlines, and releases them. */
@NullMarked
package dev.dibs.internal.lease;

import org.jspecify.annotations.NullMarked;
