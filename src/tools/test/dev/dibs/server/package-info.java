/** The console in a server of its own. */
@NullMarked
package dev.dibs.server;

import org.jspecify.annotations.NullMarked;
