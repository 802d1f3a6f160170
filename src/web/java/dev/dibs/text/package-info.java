/** How things are said, in words for people and in JSON for programs: the command and the console say the same. Not exported. */
@NullMarked
package dev.dibs.text;

import org.jspecify.annotations.NullMarked;
