/** The {@code dibs} command: {@link dev.dibs.cli.Main} starts it, a class a verb. Not in the library's jar. */
@NullMarked
package dev.dibs.cli;

import org.jspecify.annotations.NullMarked;
