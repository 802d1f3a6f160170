package dev.dibs.database;

/** The contracts on MariaDB. */
@UsesDatabase(MariaDbDatabase.class)
class MariaDbTest extends DibsContract {}
