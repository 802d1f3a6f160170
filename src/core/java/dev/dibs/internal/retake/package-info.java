/** A lock that this instance released is acquired again by a plain UPDATE of its row. */
@NullMarked
package dev.dibs.internal.retake;

import org.jspecify.annotations.NullMarked;
