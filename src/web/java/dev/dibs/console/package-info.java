/**
 * A console for servlet containers: what is held, what is stuck, and buttons to act on it. {@link dev.dibs.console.DibsConsole} is
 * the entry point.
 *
 * <pre>{@code
 * servletContext.addServlet("dibs-console", new DibsConsole(dibs)).addMapping("/console/*");
 * }</pre>
 */
@JStacheConfig(type = JStacheType.STACHE, pathing = @JStachePath(prefix = "dev/dibs/console/", suffix = ".mustache"))
@NullMarked
package dev.dibs.console;

import io.jstach.jstache.JStacheConfig;
import io.jstach.jstache.JStachePath;
import io.jstach.jstache.JStacheType;
import org.jspecify.annotations.NullMarked;
