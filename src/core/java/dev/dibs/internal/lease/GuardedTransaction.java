package dev.dibs.internal.lease;

import dev.dibs.DibsException;
import dev.dibs.Lease;
import dev.dibs.TransactionWork;
import dev.dibs.internal.sql.Secrets;
import dev.dibs.internal.transaction.TransactionEnd;
import dev.dibs.internal.values.Arguments;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Set;
import javax.sql.DataSource;

/** A transaction from its guard to its commit. The work's own exceptions pass through unchanged. */
final class GuardedTransaction {

    private GuardedTransaction() {}

    /**
     * Runs the work in a transaction that the lease guards.
     *
     * @param guarding the threads that are in such a transaction of this lease
     */
    static <X extends Exception> void run(
            Lease lease, Set<Thread> guarding, DataSource dataSource, TransactionWork<X> work) throws X {
        Arguments.required("data source", dataSource);
        Arguments.required("work", work);
        Thread thread = Thread.currentThread();
        if (!guarding.add(thread)) {
            throw new IllegalStateException("this thread is inside of a guarded transaction on '" + lease.name()
                    + "' already: use the connection of that one");
        }
        try {
            transact(lease, dataSource, work);
        } finally {
            guarding.remove(thread);
        }
    }

    private static <X extends Exception> void transact(Lease lease, DataSource dataSource, TransactionWork<X> work)
            throws X {
        Connection connection = open(lease, dataSource);
        try {
            boolean autoCommit = begin(lease, connection);
            boolean ended = false;
            try {
                lease.guard(connection);
                work.run(connection);
                commit(lease, connection);
                ended = true;
            } finally {
                TransactionEnd.of(connection, ended, autoCommit);
            }
        } finally {
            TransactionEnd.quietly(connection::close);
        }
    }

    private static Connection open(Lease lease, DataSource dataSource) {
        try {
            return dataSource.getConnection();
        } catch (SQLException e) {
            throw failed(lease, "got no connection; nothing was done", e);
        }
    }

    /** Returns whether autocommit was on. */
    private static boolean begin(Lease lease, Connection connection) {
        try {
            boolean autoCommit = connection.getAutoCommit();
            connection.setAutoCommit(false);
            return autoCommit;
        } catch (SQLException e) {
            throw failed(lease, "could not begin; nothing was done", e);
        }
    }

    private static void commit(Lease lease, Connection connection) {
        try {
            connection.commit();
        } catch (SQLException e) {
            throw failed(lease, "got no answer to its commit; look in your tables whether it happened", e);
        }
    }

    private static DibsException failed(Lease lease, String what, SQLException e) {
        return new DibsException(
                "the guarded transaction on '" + lease.name() + "' " + what + ": " + Secrets.masked(e), e);
    }
}
