/** The figures of an instance over JMX. Not exported. */
@NullMarked
package dev.dibs.internal.jmx;

import org.jspecify.annotations.NullMarked;
