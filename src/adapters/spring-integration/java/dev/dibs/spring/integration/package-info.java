/**
 * Locks of Dibs for applications that use Spring Integration.
 *
 * <pre>{@code
 * LockRegistry registry = new DibsLockRegistry(dibs, "orders");
 * Lock lock = registry.obtain("42");                        // the lock orders:42 of Dibs
 * }</pre>
 */
@NullMarked
package dev.dibs.spring.integration;

import org.jspecify.annotations.NullMarked;
