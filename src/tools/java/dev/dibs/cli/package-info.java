/** The {@code dibs} command: {@link dev.dibs.cli.Main} starts it; each verb has a class, in the room of its subject. Not in the library's jar. */
@NullMarked
package dev.dibs.cli;

import org.jspecify.annotations.NullMarked;
