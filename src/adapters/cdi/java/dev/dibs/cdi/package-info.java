/**
 * Dibs in an application on CDI: a bean, its properties, and annotations for methods.
 *
 * <pre>{@code
 * public @Transactional @Locked("order") void ship(@LockKey long id) throws SQLException {
 *     markShipped(id);                                      // commits under the lock order:42
 * }
 * }</pre>
 */
@NullMarked
package dev.dibs.cdi;

import org.jspecify.annotations.NullMarked;
