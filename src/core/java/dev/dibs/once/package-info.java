/**
 * Work that is done once a period; {@code Dibs.once(..)} is the entry point.
 *
 * <pre>{@code
 * Once export = dibs.once("nightly-export").daily(LocalTime.of(2, 0), ZoneId.of("Europe/Berlin"));
 * OnceOutcome outcome = export.tryRun(lease -> exportAll());   // RAN, NOT_DUE, BUSY or FAILED
 * }</pre>
 */
@NullMarked
package dev.dibs.once;

import org.jspecify.annotations.NullMarked;
