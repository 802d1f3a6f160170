/** Drives a client in another language and judges whether it keeps the protocol. */
@NullMarked
package dev.dibs.conformance;

import org.jspecify.annotations.NullMarked;
