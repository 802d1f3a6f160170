package dev.dibs.internal.guarded;

import dev.dibs.internal.sql.connect.ConnectionCleanup;
import dev.dibs.internal.sql.errors.SqlFailure;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Supplier;
import java.util.stream.Stream;
import javax.sql.DataSource;

/**
 * Gets connections for transactions that Dibs ends. It refuses a connection that carries a transaction of the caller, which Dibs would end.
 *
 * <p>A connection with autocommit on carries none. One with autocommit off may: some data sources bind the connection of a running
 * transaction to its thread. Or autocommit off is only the pool's setting. Then a thread of Dibs gets such a connection, too, and the
 * database knows of no transaction in the caller's.
 *
 * @param ownThreads threads to which no transaction is bound
 */
record FreeConnections(Executor ownThreads, Probe probe) {

    interface Probe {

        /** Whether it knows that the connection has an open transaction. It may begin one itself. */
        boolean hasTransaction(Connection connection) throws SqlFailure;
    }

    private static final System.Logger LOG = System.getLogger("dev.dibs");

    /** By name, since Dibs does not need it. It returns the connection of the running transaction. */
    private static final String TRANSACTION_AWARE =
            "org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy";

    private static final String BOUND =
            ": the data source has returned a connection whose transaction is running, and would be ended";

    private static final String REMEDY =
            " Pass the data source beneath, which gives each caller a connection of its own."
                    + " Or guard your own transaction: lease.guard(connection), with the connection of that transaction"
                    + " (in Spring: DataSourceUtils.getConnection(dataSource)) as its first statement";

    /**
     * Returns a connection that carries no transaction, as far as that can be known.
     *
     * @param name that of the lease or the lock
     * @throws IllegalStateException if it carries one, or the data source is known to bind connections to transactions
     */
    Connection get(DataSource dataSource, String name) throws SQLException {
        if (isTransactionAware(dataSource)) {
            throw refused(
                    name,
                    " over a TransactionAwareDataSourceProxy: it would end the transaction that this data source binds"
                            + " to the thread");
        }
        Connection connection = dataSource.getConnection();
        boolean free = false;
        try {
            free = connection.getAutoCommit();
        } finally {
            if (!free) {
                ConnectionCleanup.giveBack(connection);
            }
        }
        if (free) {
            return connection;
        }
        if (isBoundToThread(dataSource)) {
            throw refused(name, BOUND);
        }
        return probed(dataSource.getConnection(), name);
    }

    private static boolean isTransactionAware(DataSource dataSource) {
        return Stream.<Class<?>>iterate(dataSource.getClass(), Objects::nonNull, Class::getSuperclass)
                .anyMatch(type -> type.getName().equals(TRANSACTION_AWARE));
    }

    /** Whether only this thread gets a connection with autocommit off. */
    private boolean isBoundToThread(DataSource dataSource) {
        Supplier<Boolean> asks = () -> {
            try (Connection connection = dataSource.getConnection()) {
                return connection.getAutoCommit();
            } catch (SQLException | RuntimeException e) {
                // A data source that routes by thread may have nothing for another one.
                LOG.log(Level.DEBUG, "Another thread got no connection to compare with", e);
                return false;
            }
        };
        try {
            return CompletableFuture.supplyAsync(asks, ownThreads).join();
        } catch (RejectedExecutionException e) {
            throw new IllegalStateException("this Dibs was closed meanwhile", e);
        }
    }

    private Connection probed(Connection connection, String name) throws SQLException {
        boolean free = false;
        try {
            if (probe.hasTransaction(connection)) {
                throw refused(name, BOUND);
            }
            // The probe itself may have begun one, whose snapshot would be older than the guard.
            connection.rollback();
            free = true;
            return connection;
        } catch (SqlFailure e) {
            throw new SQLException(e.getMessage(), e.getCause());
        } finally {
            if (!free) {
                ConnectionCleanup.giveBack(connection);
            }
        }
    }

    private static IllegalStateException refused(String name, String why) {
        return new IllegalStateException(
                "inTransaction on '" + name + "' is refused" + why + ". Nothing was done." + REMEDY);
    }
}
