package dev.dibs.database;

/** The contracts on SQL Server, where one is given. */
@UsesDatabase(SqlServerDatabase.class)
class SqlServerTest extends DibsContract {}
