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
 * Runs the tests of a class once for each selected database ({@code -Ddibs.databases=h2,postgresql}, by default all), all at once. A class
 * that is a {@link DatabaseUser} gets the database. A database that is not available is skipped, and the report shows what is missing.
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

    /** Whether the class has a server that no other test uses, one test after the other: it restarts it, or reads its log. */
    boolean ownServer() default false;
}
