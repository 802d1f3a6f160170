package dev.dibs.cdi;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * The parameter of a {@link Locked} method that says which thing of many is locked: the lock is the one of {@link
 * dev.dibs.Dibs#lock(String, Object)}.
 */
@Documented
@Target(ElementType.PARAMETER)
@Retention(RetentionPolicy.RUNTIME)
public @interface LockKey {

    /**
     * The property of the parameter that is the key, such as {@code id} or {@code customer.id}. Each step is a public method without
     * parameters, {@code id()} or {@code getId()}. By default the key is the parameter itself.
     */
    String value() default "";
}
