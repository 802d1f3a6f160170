/** Sends the statements of locks: one by one, again by the known fence, or many together. */
@NullMarked
package dev.dibs.internal.acquire.calls;

import org.jspecify.annotations.NullMarked;
