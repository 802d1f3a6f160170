/** Verbs about locks, permits and read-write locks. */
@NullMarked
package dev.dibs.cli.lock;

import org.jspecify.annotations.NullMarked;
