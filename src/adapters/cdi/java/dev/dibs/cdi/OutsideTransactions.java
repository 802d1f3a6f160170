package dev.dibs.cdi;

import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.util.logging.Logger;
import javax.sql.DataSource;

/**
 * The application's data source, for Dibs alone. In a transaction of the thread it would give out the connection of that transaction:
 * an acquire would be rolled back with it. So it refuses that.
 */
record OutsideTransactions(DataSource dataSource, Transactions transactions) implements DataSource {

    @Override
    public Connection getConnection() throws SQLException {
        requireNone();
        return dataSource.getConnection();
    }

    @Override
    public Connection getConnection(String user, String password) throws SQLException {
        requireNone();
        return dataSource.getConnection(user, password);
    }

    private void requireNone() {
        if (transactions.isThere()) {
            throw new IllegalStateException("This thread has a transaction, which would include this call of Dibs."
                    + " Acquire before the transaction begins, as @Locked does, and release after it has ended");
        }
    }

    @Override
    public PrintWriter getLogWriter() throws SQLException {
        return dataSource.getLogWriter();
    }

    @Override
    public void setLogWriter(PrintWriter out) throws SQLException {
        dataSource.setLogWriter(out);
    }

    @Override
    public void setLoginTimeout(int seconds) throws SQLException {
        dataSource.setLoginTimeout(seconds);
    }

    @Override
    public int getLoginTimeout() throws SQLException {
        return dataSource.getLoginTimeout();
    }

    @Override
    public Logger getParentLogger() throws SQLFeatureNotSupportedException {
        return dataSource.getParentLogger();
    }

    @Override
    public <T> T unwrap(Class<T> type) throws SQLException {
        return type.isInstance(dataSource) ? type.cast(dataSource) : dataSource.unwrap(type);
    }

    @Override
    public boolean isWrapperFor(Class<?> type) throws SQLException {
        return type.isInstance(dataSource) || dataSource.isWrapperFor(type);
    }
}
