/** Sends statements again: how often, for how long, and what happens to an answer that was lost. */
@NullMarked
package dev.dibs.internal.retry;

import org.jspecify.annotations.NullMarked;
