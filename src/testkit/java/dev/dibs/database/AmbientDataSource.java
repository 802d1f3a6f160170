package dev.dibs.database;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.sql.DataSource;

/**
 * Binds a transaction to the thread that begins it, as Spring's {@code TransactionAwareDataSourceProxy} does. A request for a connection on
 * that thread returns a handle on the same one, and closing the handle leaves the connection open. Other threads get connections of their
 * own.
 */
public final class AmbientDataSource extends WatchedDataSource {
    private final Map<Thread, Connection> bound = new ConcurrentHashMap<>();
    private final DataSource target;

    public AmbientDataSource(DataSource target) {
        super(target);
        this.target = target;
    }

    /** Until it is closed, by the same thread. */
    public Transaction begin() throws SQLException {
        Connection connection = target.getConnection();
        connection.setAutoCommit(false);
        bound.put(Thread.currentThread(), connection);
        return new Transaction(connection);
    }

    /** Rolls back when it is closed, unless it was committed. */
    public final class Transaction implements AutoCloseable {
        private final Connection connection;

        private Transaction(Connection connection) {
            this.connection = connection;
        }

        public Connection connection() {
            return connection;
        }

        public void commit() throws SQLException {
            connection.commit();
        }

        @Override
        public void close() throws SQLException {
            bound.remove(Thread.currentThread());
            try (connection) {
                connection.rollback();
                connection.setAutoCommit(true);
            }
        }
    }

    @Override
    Connection connect(Call call) throws Throwable {
        Connection connection = bound.get(Thread.currentThread());
        return connection == null ? super.connect(call) : handle(connection);
    }

    private static Connection handle(Connection connection) {
        AtomicBoolean closed = new AtomicBoolean();
        return proxy(Connection.class, (proxy, method, arguments) -> {
            switch (method.getName()) {
                case "close" -> {
                    closed.set(true);
                    return null;
                }
                case "isClosed" -> {
                    return closed.get();
                }
                default -> {
                    if (closed.get()) {
                        throw new SQLException("This handle is closed already");
                    }
                    return pass(connection, method, arguments);
                }
            }
        });
    }
}
