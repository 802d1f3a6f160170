/** For servlet applications: a {@code Dibs} that lives as long as the application, and one request at a time per key. */
@NullMarked
package dev.dibs.servlet;

import org.jspecify.annotations.NullMarked;
