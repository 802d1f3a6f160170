/** Dibs in an application on CDI: a bean, its properties, and annotations for methods. */
@NullMarked
package dev.dibs.cdi;

import org.jspecify.annotations.NullMarked;
