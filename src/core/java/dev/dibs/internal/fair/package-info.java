/** Fair locks: first come, first served, over all processes. */
@NullMarked
package dev.dibs.internal.fair;

import org.jspecify.annotations.NullMarked;
