package dev.dibs;

import java.sql.Connection;

/** Work inside a transaction. Its exception passes to the caller unchanged. */
@FunctionalInterface
public interface TransactionWork<X extends Exception> {

    /** Does the work. It must neither commit, nor roll back, nor close the connection. */
    void run(Connection transaction) throws X;
}
