/** What people see: tables, lines that fit, a block that is drawn again. */
@NullMarked
package dev.dibs.cli.terminal;

import org.jspecify.annotations.NullMarked;
