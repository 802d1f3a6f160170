package dev.dibs.cli;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.dibs.internal.sql.errors.Secrets;
import java.nio.file.Path;
import java.sql.Driver;
import java.sql.SQLException;
import java.time.Duration;
import javax.sql.DataSource;

/** A small pool of connections to the target. */
final class Pool implements AutoCloseable {

    /** One for the command, one for the heartbeat, one to look up the outcome of a lost answer. */
    static final int CONNECTIONS = 3;

    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private final HikariDataSource pool;
    private final Runnable leave;

    private Pool(HikariDataSource pool, Runnable leave) {
        this.pool = pool;
        this.leave = leave;
    }

    /**
     * Opens the first connection.
     *
     * @param connections the largest number of connections
     * @throws UsageError if it cannot; the message says what to check
     */
    static Pool open(Target target, int connections) {
        Driver driver = Drivers.find(target.url(), target.drivers());
        HikariConfig config = new HikariConfig();
        config.setPoolName("dibs");
        config.setMinimumIdle(1);
        config.setMaximumPoolSize(connections);
        config.setConnectionTimeout(PATIENCE.toMillis());
        try {
            Path directory = target.directory();
            return directory == null ? remote(target, driver, config) : embedded(target, directory, config);
        } catch (RuntimeException e) {
            throw new UsageError("cannot connect to " + target + ": " + reason(e)
                    + ". See that it runs, and that url, user and password are right");
        }
    }

    private static Pool remote(Target target, Driver driver, HikariConfig config) {
        config.setDataSource(new DriverConnections(driver, target));
        return new Pool(new HikariDataSource(config), () -> {});
    }

    /** Closing a connection may close the database, if that connection keeps it open for others. */
    private static Pool embedded(Target target, Path directory, HikariConfig config) {
        long start = System.nanoTime();
        EmbeddedDataSource dataSource = new EmbeddedDataSource(target, directory);
        config.setDataSource(dataSource);
        config.setMaxLifetime(0);
        config.setIdleTimeout(0);
        config.setConnectionTimeout(EmbeddedDataSource.PATIENCE.toMillis());
        while (true) {
            try {
                return new Pool(new HikariDataSource(config), dataSource::leave);
            } catch (RuntimeException e) {
                if (!EmbeddedDataSource.isPassing(e) || System.nanoTime() - start > PATIENCE.toNanos()) {
                    throw e;
                }
            }
        }
    }

    /** The pool wraps the driver's message. */
    private static String reason(RuntimeException e) {
        for (Throwable t = e; t != null; t = t.getCause()) {
            if (t instanceof SQLException) {
                return Secrets.maskedToTheRoot(t);
            }
        }
        return Secrets.maskedToTheRoot(e);
    }

    DataSource dataSource() {
        return pool;
    }

    @Override
    public void close() {
        leave.run();
        pool.close();
    }
}
