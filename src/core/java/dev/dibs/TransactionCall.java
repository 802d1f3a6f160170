package dev.dibs;

import java.sql.Connection;
import org.jspecify.annotations.Nullable;

/**
 * Work inside a transaction that has a value. Its exception passes to the caller unchanged.
 *
 * @param <T> the value
 * @param <X> what it throws
 */
@FunctionalInterface
@SuppressWarnings("exports")
public interface TransactionCall<T extends @Nullable Object, X extends Exception> {

    /**
     * Does the work.
     *
     * @param transaction the connection to use, as for {@link TransactionWork#run}
     */
    T call(Connection transaction) throws X;
}
