/** Work that is done once a period; {@code Dibs.once(..)} is the entry point. */
@NullMarked
package dev.dibs.once;

import org.jspecify.annotations.NullMarked;
