/** Fair locks: whoever asked first is served first, across processes. */
@NullMarked
package dev.dibs.internal.fair;

import org.jspecify.annotations.NullMarked;
