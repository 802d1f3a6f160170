/** The parts that users call: locks, semaphores, read-write locks, leadership, and the register of all leases. */
@NullMarked
package dev.dibs.internal.locks;

import org.jspecify.annotations.NullMarked;
