package dev.dibs.database;

/** How a database explains its plans. */
public enum Plans {
    /** A text with comments. */
    H2,
    /** A line for each table. */
    SQLITE,
    /** A tree of nodes; also for values that are not known yet. */
    POSTGRESQL,
    /** A row for each table, with the number of rows; and counters of the rows that were read. */
    TABULAR,
    /** In a way that no test here reads. */
    UNKNOWN
}
