/** The console in a small web server of its own, only for this machine: for the command and the demo. */
@JStacheConfig(type = JStacheType.STACHE, pathing = @JStachePath(prefix = "dev/dibs/server/", suffix = ".mustache"))
@NullMarked
package dev.dibs.server;

import io.jstach.jstache.JStacheConfig;
import io.jstach.jstache.JStachePath;
import io.jstach.jstache.JStacheType;
import org.jspecify.annotations.NullMarked;
