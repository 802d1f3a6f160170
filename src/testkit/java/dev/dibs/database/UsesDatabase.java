package dev.dibs.database;

import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Runs the tests of a class on one database: they may have a {@link TestDatabase} as a parameter. If the database is not available, the
 * class is skipped, and the report shows what is missing.
 */
@Inherited
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(UsesDatabaseExtension.class)
public @interface UsesDatabase {
    Class<? extends TestDatabase> value();
}
