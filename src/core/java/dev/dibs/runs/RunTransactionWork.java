package dev.dibs.runs;

import java.sql.Connection;

/**
 * The work on a row, in the transaction that completes the row: it takes effect exactly once.
 *
 * @param <T> the type that a row is mapped to
 */
@FunctionalInterface
public interface RunTransactionWork<T> {

    /**
     * Works on one row, on a worker's thread. The thread is interrupted if the row is lost, and if the work takes longer
     * than a minute after the workers were closed. Dibs' own statements are not interrupted, but those of the work are. If the work
     * uses an H2 file, open it by {@code jdbc:h2:async:}, or the interrupt closes the file for the whole process. If the database
     * itself rolls the transaction back (a deadlock, a serialization failure, a lock timeout), the work is called again at once,
     * five times at most in all.
     *
     * @param connection a connection of the data source of {@link dev.dibs.Dibs}, with autocommit off. Dibs commits. As in {@link
     *     dev.dibs.TransactionWork}, it refuses calls that would end the transaction, and only writes by it are part of it
     * @throws Exception if the work failed: the transaction is rolled back and the row is tried again later
     */
    void process(T row, Connection connection) throws Exception;
}
