/**
 * The databases that the tests run on, each a real server below {@code target/} that dies with its JVM, and data sources
 * that count, fail or take part in an ambient transaction. {@link dev.dibs.database.TestDatabases} is the entry point.
 */
package dev.dibs.database;
