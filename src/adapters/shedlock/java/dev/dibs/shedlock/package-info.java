/**
 * Locks of Dibs for applications that use ShedLock.
 *
 * <pre>{@code
 * LockProvider provider = new DibsLockProvider(dibs);       // the bean that changes; @SchedulerLock stays
 * }</pre>
 */
@NullMarked
package dev.dibs.shedlock;

import org.jspecify.annotations.NullMarked;
