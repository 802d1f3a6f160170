/** Locks of Dibs for applications that use ShedLock. */
@NullMarked
package dev.dibs.shedlock;

import org.jspecify.annotations.NullMarked;
