package dev.dibs.internal.values;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * The method changes nothing and returns a new object, so a call that ignores the result is a mistake. Error Prone reports such a call, also
 * in applications: it knows the annotation by its simple name. On a type it is for each of its methods.
 */
@Retention(RetentionPolicy.CLASS)
@Target({ElementType.METHOD, ElementType.TYPE})
public @interface CheckReturnValue {}
