package dev.dibs.database;

/** The contracts on PostgreSQL. */
@UsesDatabase(PostgresDatabase.class)
class PostgresTest extends DibsContract {}
