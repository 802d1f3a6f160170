/** What all verbs share: words, exit codes, mistakes. */
@NullMarked
package dev.dibs.cli.verb;

import org.jspecify.annotations.NullMarked;
