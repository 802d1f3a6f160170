/** Programs that the documentation shows, and their tests. */
@NullMarked
package dev.dibs.examples;

import org.jspecify.annotations.NullMarked;
