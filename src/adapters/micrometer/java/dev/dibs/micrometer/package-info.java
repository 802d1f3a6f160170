/**
 * The counters of a Dibs as meters of Micrometer, and its calls as observations.
 *
 * <pre>{@code
 * new DibsMetrics(dibs).bindTo(registry);
 * }</pre>
 */
@NullMarked
package dev.dibs.micrometer;

import org.jspecify.annotations.NullMarked;
