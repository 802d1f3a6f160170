/**
 * Dibs in an application on Spring Boot: a bean, its properties, and annotations for methods.
 *
 * <pre>{@code
 * public @Transactional @Locked(value = "order", key = "#id") void ship(long id) {
 *     jdbc.update("UPDATE orders SET shipped = 1 WHERE id = ?", id);   // commits under the lock order:42
 * }
 * }</pre>
 */
@NullMarked
package dev.dibs.spring;

import org.jspecify.annotations.NullMarked;
