/**
 * For servlet applications: a {@code Dibs} that lives as long as the application, and one request at a time per key.
 *
 * <pre>{@code
 * Dibs dibs = DibsContextListener.of(getServletContext());  // in any servlet; the listener is in the web.xml
 * LockFilter filter = LockFilter.builder(LockKey.header("X-Customer")).waitUpTo(Duration.ofSeconds(2)).build();
 * servletContext.addFilter("sync", filter).addMappingForUrlPatterns(null, false, "/sync/*");
 * }</pre>
 */
@NullMarked
package dev.dibs.servlet;

import org.jspecify.annotations.NullMarked;
