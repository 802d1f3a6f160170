/** The console: its pages, who may see them, the effects of its buttons, and its cost for the database. */
@NullMarked
package dev.dibs.console;

import org.jspecify.annotations.NullMarked;
