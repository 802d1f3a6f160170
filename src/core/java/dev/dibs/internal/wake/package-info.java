/** Wakes waiters by notifications of the database. Not exported. */
@NullMarked
package dev.dibs.internal.wake;

import org.jspecify.annotations.NullMarked;
