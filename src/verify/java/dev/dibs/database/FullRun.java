package dev.dibs.database;

import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * A test that {@code mvn verify} leaves to {@code mvn -Pall verify}, on all databases but those named here. What is named at a method wins
 * over what is named at its class.
 */
@Inherited
@Target({ElementType.TYPE, ElementType.METHOD})
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(FullRunCondition.class)
public @interface FullRun {

    /** Where {@code mvn verify} has it, too: names of databases, as in {@code -Ddibs.databases}. */
    String[] except() default {};
}
