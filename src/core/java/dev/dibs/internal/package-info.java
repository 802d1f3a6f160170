/** The parts of one instance, put together. Not exported. */
@NullMarked
package dev.dibs.internal;

import org.jspecify.annotations.NullMarked;
