/** A web application for the tests of {@link dev.dibs.servlet}; it is compiled against both names of the servlet API. */
@NullMarked
package dev.dibs.servlet.app;

import org.jspecify.annotations.NullMarked;
