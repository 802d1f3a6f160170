package dev.dibs.database;

import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/** A test that only {@code mvn -Pall verify} runs, except on the databases named here. A name at a method overrides one at its class. */
@Inherited
@Target({ElementType.TYPE, ElementType.METHOD})
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(FullRunCondition.class)
public @interface FullRun {

    /** The databases on which {@code mvn verify} runs it, too: names as in {@code -Ddibs.databases}. */
    String[] except() default {};
}
