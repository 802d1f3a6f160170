/** A lock that was given back here is taken again by a plain UPDATE of the row that is known. */
@NullMarked
package dev.dibs.internal.retake;

import org.jspecify.annotations.NullMarked;
