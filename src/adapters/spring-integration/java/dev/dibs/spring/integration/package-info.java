/** Locks of Dibs for applications that use Spring Integration. */
@NullMarked
package dev.dibs.spring.integration;

import org.jspecify.annotations.NullMarked;
