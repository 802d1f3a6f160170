/** Dibs in an application on Spring Boot: a bean, its properties, and annotations for methods. */
@NullMarked
package dev.dibs.spring;

import org.jspecify.annotations.NullMarked;
