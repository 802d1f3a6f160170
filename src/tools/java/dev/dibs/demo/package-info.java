/**
 * Dibs at work on real files: several processes work through a table of files. One of them is killed, the run is paused, and another one is
 * paused past its lease. {@link dev.dibs.demo.Demo} is the entry point; not part of the library.
 */
@NullMarked
package dev.dibs.demo;

import org.jspecify.annotations.NullMarked;
