package dev.dibs;

import java.sql.Connection;

/** Work inside a transaction. Its exception passes to the caller unchanged. */
@FunctionalInterface
public interface TransactionWork<X extends Exception> {

    /**
     * Does the work.
     *
     * @param transaction the connection to use. Writes by another one, such as that of a {@code JdbcTemplate} over the same
     *     data source, are no part of the transaction. It refuses, by an {@code SQLException}, calls that would end the transaction:
     *     {@code commit()}, {@code rollback()}, {@code abort(..)}, {@code close()}, {@code setAutoCommit(true)}, another isolation, a
     *     statement that begins with COMMIT or the like and, where CREATE and ALTER commit, all statements that are not known to be
     *     harmless. Savepoints work.
     *     After an error with which the database has ended the transaction, such as a deadlock, it refuses further statements
     */
    void run(Connection transaction) throws X;
}
