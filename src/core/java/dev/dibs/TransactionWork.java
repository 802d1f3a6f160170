package dev.dibs;

import java.sql.Connection;

/** Work inside a transaction. The exception that it may throw passes through to the caller as it is. */
@FunctionalInterface
public interface TransactionWork<X extends Exception> {

    /** Does the work; must neither commit nor roll back nor close the connection. */
    void run(Connection transaction) throws X;
}
