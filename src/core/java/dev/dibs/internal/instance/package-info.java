/** The shared parts of one instance: connections, threads, retries. Not exported. */
@NullMarked
package dev.dibs.internal.instance;

import org.jspecify.annotations.NullMarked;
