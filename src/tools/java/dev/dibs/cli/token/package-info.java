/** Verbs about one-time tokens. */
@NullMarked
package dev.dibs.cli.token;

import org.jspecify.annotations.NullMarked;
