/** How work is done once a period. Not exported. */
@NullMarked
package dev.dibs.internal.once;

import org.jspecify.annotations.NullMarked;
