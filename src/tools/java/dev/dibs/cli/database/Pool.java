package dev.dibs.cli.database;

import dev.dibs.cli.verb.UsageError;
import dev.dibs.internal.sql.errors.Secrets;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.util.Deque;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * The connections of one command. It keeps those that come back, so most commands open a single one. It has no thread and no bean: those of
 * a pool for servers take longer than most commands.
 *
 * <p>Safe for use by many threads at once.
 */
public final class Pool implements ConnectionSource, AutoCloseable {

    /** One for the command, one for the heartbeat, one to look up the outcome of a lost answer. */
    static final int CONNECTIONS = 3;

    private static final Duration PATIENCE = Duration.ofSeconds(10);

    /** How long a kept connection may take to answer before another one is opened, in seconds. */
    private static final int ANSWER_SECONDS = 5;

    private final DataSource source;
    private final Runnable leave;
    private final Semaphore free;
    private final Deque<Connection> idle = new ConcurrentLinkedDeque<>();
    private volatile boolean closed;

    private Pool(DataSource source, int connections, Runnable leave) {
        this.source = source;
        this.leave = leave;
        this.free = new Semaphore(connections);
    }

    /**
     * Opens the first connection.
     *
     * @param connections the largest number of connections
     * @throws UsageError if it cannot; the message says what to check
     */
    public static Pool open(Target target, int connections) {
        Path directory = target.directory();
        try {
            return directory == null ? remote(target, connections) : embedded(target, directory, connections);
        } catch (SQLException | RuntimeException e) {
            if (e instanceof UsageError error) {
                throw error;
            }
            throw new UsageError("cannot connect to " + target + ": " + reason(e)
                    + ". See that it runs, and that url, user and password are right");
        }
    }

    private static Pool remote(Target target, int connections) throws SQLException {
        DataSource source = new DriverConnections(Drivers.find(target.url(), target.drivers()), target);
        return connected(new Pool(source, connections, () -> {}));
    }

    /** Closing a connection may close the database, if that connection keeps it open for others. */
    private static Pool embedded(Target target, Path directory, int connections) throws SQLException {
        EmbeddedDataSource source = new EmbeddedDataSource(target, directory);
        return connected(new Pool(source, connections, source::leave));
    }

    private static Pool connected(Pool pool) throws SQLException {
        pool.idle.add(pool.source.getConnection());
        return pool;
    }

    /** The driver's message is the innermost. */
    private static String reason(Exception e) {
        for (Throwable t = e; t != null; t = t.getCause()) {
            if (t instanceof SQLException) {
                return Secrets.maskedToTheRoot(t);
            }
        }
        return Secrets.maskedToTheRoot(e);
    }

    @Override
    public Connection getConnection() throws SQLException {
        try {
            if (!free.tryAcquire(PATIENCE.toMillis(), TimeUnit.MILLISECONDS)) {
                throw new SQLTransientConnectionException(
                        "all connections were in use for " + PATIENCE.toSeconds() + " s");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new SQLTransientConnectionException("interrupted while all connections were in use", e);
        }
        try {
            return new Lent(take()).proxy();
        } catch (SQLException | RuntimeException e) {
            free.release();
            throw e;
        }
    }

    @Override
    public Connection getConnection(@Nullable String user, @Nullable String password) throws SQLException {
        return getConnection();
    }

    /** The database may have ended a kept connection meanwhile. */
    private Connection take() throws SQLException {
        for (Connection kept = idle.pollLast(); kept != null; kept = idle.pollLast()) {
            if (kept.isValid(ANSWER_SECONDS)) {
                return kept;
            }
            close(kept);
        }
        return source.getConnection();
    }

    private void giveBack(Connection connection) {
        try {
            if (connection.isClosed()) {
                return;
            }
            if (!connection.getAutoCommit()) {
                connection.rollback();
                connection.setAutoCommit(true);
            }
            idle.addLast(connection);
        } catch (SQLException e) {
            close(connection);
        } finally {
            free.release();
        }
        if (closed) {
            closeIdle();
        }
    }

    private static void close(Connection connection) {
        try {
            connection.close();
        } catch (SQLException e) {
            // It is broken, and so closed already.
        }
    }

    private void closeIdle() {
        for (Connection kept = idle.pollLast(); kept != null; kept = idle.pollLast()) {
            close(kept);
        }
    }

    @Override
    public void close() {
        leave.run();
        closed = true;
        closeIdle();
    }

    /** A connection whose close gives it back. */
    private final class Lent implements InvocationHandler {

        private final Connection connection;
        private final AtomicBoolean returned = new AtomicBoolean();

        Lent(Connection connection) {
            this.connection = connection;
        }

        Connection proxy() {
            return (Connection)
                    Proxy.newProxyInstance(Pool.class.getClassLoader(), new Class<?>[] {Connection.class}, this);
        }

        @Override
        public @Nullable Object invoke(Object self, Method method, @Nullable Object @Nullable [] arguments)
                throws Throwable {
            switch (method.getName()) {
                case "close" -> {
                    if (returned.compareAndSet(false, true)) {
                        giveBack(connection);
                    }
                    return null;
                }
                case "isClosed" -> {
                    return returned.get() || connection.isClosed();
                }
                case "equals" -> {
                    return arguments != null && self == arguments[0];
                }
                case "hashCode" -> {
                    return System.identityHashCode(self);
                }
                default -> {
                    return pass(method, arguments);
                }
            }
        }

        private @Nullable Object pass(Method method, @Nullable Object @Nullable [] arguments) throws Throwable {
            if (returned.get() && !method.getName().equals("toString")) {
                throw new SQLException("this connection was given back");
            }
            try {
                return method.invoke(connection, arguments);
            } catch (InvocationTargetException e) {
                throw e.getCause();
            }
        }
    }
}
