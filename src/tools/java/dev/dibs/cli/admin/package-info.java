/** Verbs for who runs the database: tables, statements, checks, console, demo. */
@NullMarked
package dev.dibs.cli.admin;

import org.jspecify.annotations.NullMarked;
