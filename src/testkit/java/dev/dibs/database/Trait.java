package dev.dibs.database;

/** How a database may differ from others, and what is usual. {@link Traits} has the differences that are values. */
public enum Trait {
    /**
     * Whether a transaction that writes locks the rows that it writes. Else it keeps all others from writing: they wait, and are rolled
     * back after their limit.
     */
    LOCKS_ROWS(true),
    /** Whether one process reads the database's clock for all; else each process reads it for itself. */
    HAS_CLOCK(true),
    /** Whether a statement that changes rows and returns them is committed only when they have been read. */
    COMMITS_ONCE_READ(false),
    /** Whether {@code mvn verify} runs only the contracts on it that are {@link Core}. */
    ONLY_CORE(false),
    /** Whether it has CREATE SCHEMA. */
    HAS_SCHEMAS(true),
    /** Whether a pool can let its connections begin in a schema of its own: see {@link Traits#useSchema}. */
    CHOOSES_SCHEMAS(true),
    /** Whether quoted names that differ in case alone are different names. */
    NAMES_HAVE_CASE(true),
    /** Whether it has the statements SAVEPOINT and ROLLBACK TO SAVEPOINT. JDBC has savepoints everywhere. */
    HAS_SAVEPOINTS(true),
    /** Whether a column keeps values of its type alone. Else a decimal, a date or a UUID is what each program makes of it. */
    KEEPS_TYPES(true),
    /** Whether a completion may change the key of a row in a table with a token column. */
    RETURNS_OLD_KEYS(true),
    /** Whether a transaction that has done nothing is known from one that has. */
    KNOWS_NEW_TRANSACTIONS(true),
    /** Whether an error undoes only its statement. Else the transaction accepts nothing more. */
    UNDOES_ONLY_THE_STATEMENT(true),
    /** Whether there are statements for batches. */
    BATCHES(true),
    /** Whether a guard finds nothing outside of a transaction. */
    GUARD_TELLS_OF_NO_TRANSACTION(false),
    /** Whether it tells of an open transaction that has only read. */
    TELLS_OF_TRANSACTIONS_THAT_READ(true),
    /** Whether a purge of tokens skips locked rows; else it waits. */
    PURGE_SKIPS_LOCKED_ROWS(true),
    /** Whether a locked row delays the purge of others. */
    PURGE_WAITS(false),
    /** Whether a node of its clusters refuses work while it is cut off from most of the others. */
    HAS_QUORUM(false),
    /** Whether a row that is locked is read as it is now, also in a transaction with an older snapshot. */
    LOCKS_THE_NEWEST_ROW(false),
    /** Whether a column can be added while others write the table. */
    ADDS_COLUMNS_BESIDE_WRITERS(true),
    /** Whether its catalog shows the columns of tables that the user may not read. */
    CATALOG_SHOWS_ALL_COLUMNS(false),
    /** Whether it takes a text of several statements in a batch. */
    BATCHES_SEVERAL(true),
    /** Whether a transaction above READ COMMITTED may have a snapshot from before the lock of its first statement. */
    SNAPSHOTS_PRECEDE_LOCKS(false),
    /** Whether ALTER TABLE can change a column. */
    CHANGES_COLUMNS(true),
    /** Whether its catalog shows the conditions of CHECK constraints. */
    SHOWS_CHECKS(true),
    /** Whether a row that a locking search finds by its key, and then refuses, stays locked. */
    KEEPS_REFUSED_ROWS(false);

    final boolean isUsual;

    Trait(boolean isUsual) {
        this.isUsual = isUsual;
    }
}
