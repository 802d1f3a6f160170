/** What the capabilities share. Not exported. */
@NullMarked
package dev.dibs.core;

import org.jspecify.annotations.NullMarked;
