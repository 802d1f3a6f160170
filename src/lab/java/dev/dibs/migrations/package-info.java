/** Runs the migration files of dibs.jar by the tools that they are for. */
@NullMarked
package dev.dibs.migrations;

import org.jspecify.annotations.NullMarked;
