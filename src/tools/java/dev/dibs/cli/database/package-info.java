/** Which database, how the command connects to it, and the base class of verbs that use it. */
@NullMarked
package dev.dibs.cli.database;

import org.jspecify.annotations.NullMarked;
