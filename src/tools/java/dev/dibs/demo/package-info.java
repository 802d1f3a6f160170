/**
 * Dibs at work on something real: several processes work a table of files off while one of them is killed, the run is paused,
 * and another one is paused past its lease. {@link dev.dibs.demo.Demo} is the entry point; no part of the library.
 */
@NullMarked
package dev.dibs.demo;

import org.jspecify.annotations.NullMarked;
