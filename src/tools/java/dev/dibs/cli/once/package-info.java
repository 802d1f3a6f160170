/** The verb for work that is due once in a while. */
@NullMarked
package dev.dibs.cli.once;

import org.jspecify.annotations.NullMarked;
