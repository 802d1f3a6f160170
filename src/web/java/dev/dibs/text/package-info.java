/** Words for people and JSON for programs, shared by the command and the console. Not exported. */
@NullMarked
package dev.dibs.text;

import org.jspecify.annotations.NullMarked;
