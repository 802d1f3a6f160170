package dev.dibs.database;

import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * A contract that {@code mvn verify} runs on every database. On those that are {@linkplain Trait#ONLY_CORE in it with the core alone} it
 * leaves the others to {@code mvn -Pall verify}, unless {@code -Ddibs.databases} names the database.
 */
@Inherited
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
public @interface Core {}
