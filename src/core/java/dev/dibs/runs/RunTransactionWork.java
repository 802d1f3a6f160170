package dev.dibs.runs;

import java.sql.Connection;

/**
 * What is done with a row, in the transaction that completes it: it takes effect exactly once.
 *
 * @param <T> what a row is mapped to
 */
@FunctionalInterface
public interface RunTransactionWork<T> {

    /**
     * Works on one row, on a worker's thread, which is interrupted if the row is lost meanwhile, and if the workers are closed and it
     * takes longer than a minute. Dibs' own statements are not interrupted, but those of the work are: a file of H2's that the work uses
     * should be opened by {@code jdbc:h2:async:}, or the interrupt closes it for the whole process. Called again at once, up to five times in
     * all, if the database rolls the transaction back by itself (a deadlock, a serialization failure, a lock timeout).
     *
     * @param connection of the data source of {@link dev.dibs.Dibs}, with autocommit off. Dibs commits; the work must not, nor roll back
     * @throws Exception if it failed: the transaction is rolled back and the row is tried again later
     */
    void process(T row, Connection connection) throws Exception;
}
