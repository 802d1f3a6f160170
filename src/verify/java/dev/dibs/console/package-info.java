/** The console: its pages, who may see them, what its buttons do, and what it costs the database. */
@NullMarked
package dev.dibs.console;

import org.jspecify.annotations.NullMarked;
