/** Drives a client in another language and judges whether it keeps the protocol; races on an engine that is new to Dibs. */
@NullMarked
package dev.dibs.conformance;

import org.jspecify.annotations.NullMarked;
