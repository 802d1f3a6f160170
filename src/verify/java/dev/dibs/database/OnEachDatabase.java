package dev.dibs.database;

import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.ClassTemplate;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * Runs the tests of a class once for each database that is asked for ({@code -Ddibs.databases=h2,postgresql}, all of them unless
 * given), all at once. A class that is a {@link DatabaseUser} gets the database; one that cannot be had is skipped, and the report says
 * what is missing.
 */
@Inherited
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@ClassTemplate
@ExtendWith(EachDatabase.class)
@Execution(ExecutionMode.CONCURRENT)
public @interface OnEachDatabase {

    /** Only these; all if none is named. */
    Class<? extends TestDatabase>[] value() default {};

    /** Whether the class gets a server that no other test uses, one test after the other: it restarts it, or reads its log. */
    boolean ownServer() default false;
}
