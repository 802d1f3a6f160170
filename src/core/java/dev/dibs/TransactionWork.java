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
     *     {@code commit()}, {@code rollback()}, {@code abort(..)}, {@code close()}, {@code setAutoCommit(true)}, another isolation, and a
     *     statement that begins with COMMIT, ROLLBACK, BEGIN or START. Savepoints work. If another statement has ended the transaction,
     *     such as a procedure that commits or, on some databases, CREATE TABLE, that statement throws. After it, and after an error with
     *     which the database has ended the transaction, such as a deadlock, it refuses further statements
     */
    void run(Connection transaction) throws X;
}
