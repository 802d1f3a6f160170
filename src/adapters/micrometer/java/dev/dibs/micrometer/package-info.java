/** The counters of a Dibs as meters of Micrometer, and its calls as observations. */
@NullMarked
package dev.dibs.micrometer;

import org.jspecify.annotations.NullMarked;
