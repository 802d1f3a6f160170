/** Verbs about runs. */
@NullMarked
package dev.dibs.cli.run;

import org.jspecify.annotations.NullMarked;
