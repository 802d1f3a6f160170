package dev.dibs.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Runs the method once a period, by the first process that calls it, over all processes that use the same database. Other calls do
 * nothing. If the method throws, its next try comes after a pause: see {@link dev.dibs.once.Once#tryRun}. The method must be {@code void}.
 *
 * <p>A transaction of the method is guarded, and refused, as that of a {@link Locked} method.
 */
@Documented
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
public @interface OncePer {

    /** The period, such as {@code P30D}, {@code 30d} or {@code PT12H}. It may be a placeholder. */
    String value();

    /** The name of the work, as for {@link dev.dibs.Dibs#once(String)}. By default the names of the bean's class and the method. */
    String name() default "";
}
