package dev.dibs.cli.database;

import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Driver;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** Connections to the embedded database, in whichever process hosts it. */
final class EmbeddedDataSource implements ConnectionSource {

    /** H2 notices after some seconds that a host was killed; up to eight were measured. */
    static final Duration PATIENCE = Duration.ofSeconds(20);

    private static final long PAUSE_NANOS = Duration.ofMillis(50).toNanos();

    /** H2's codes: cannot be opened just now, opened by another process, connection broken, session or database closed. */
    private static final Set<Integer> PASSING = Set.of(8000, 90020, 90067, 90007, 90098, 90121, 90135);

    /** The password has no quotation marks. */
    private static final String GIVE_PASSWORD = "ALTER USER dibs SET PASSWORD '%s'";

    /** H2's code for a wrong user name or password. */
    private static final int WRONG_PASSWORD = 28000;

    private final Target target;
    private final Path directory;
    private final DatabaseFileLock fileLock;
    private final Driver driver;

    EmbeddedDataSource(Target target, Path directory) {
        this.target = target;
        this.directory = directory;
        this.driver = Drivers.find(target.url(), null);
        this.fileLock = new DatabaseFileLock(directory.resolve(EmbeddedDatabase.FILE_LOCK), PATIENCE);
    }

    @Override
    public Connection getConnection() throws SQLException {
        return fileLock.pass(this::open);
    }

    @Override
    public Connection getConnection(@Nullable String user, @Nullable String password) throws SQLException {
        return getConnection();
    }

    private Connection open() throws SQLException {
        String password;
        try {
            password = EmbeddedDatabase.password(directory);
        } catch (IOException e) {
            throw new SQLException("The password in " + directory + " cannot be used: " + e, e);
        }
        try {
            return open(password);
        } catch (SQLException e) {
            if (e.getErrorCode() != WRONG_PASSWORD) {
                throw e;
            }
            return openWithoutPassword(password, e);
        } finally {
            EmbeddedDatabase.tighten(directory);
        }
    }

    /** An older database without a password gets one. */
    private Connection openWithoutPassword(String password, SQLException refused) throws SQLException {
        Connection connection;
        try {
            connection = open("");
        } catch (SQLException e) {
            throw refused;
        }
        try (Statement statement = connection.createStatement()) {
            statement.execute(GIVE_PASSWORD.formatted(password));
            return connection;
        } catch (SQLException e) {
            connection.close();
            throw e;
        }
    }

    private Connection open(String password) throws SQLException {
        long start = System.nanoTime();
        while (true) {
            try {
                return connections(password).getConnection();
            } catch (SQLException e) {
                if (!isPassing(e) || System.nanoTime() - start > PATIENCE.toNanos()) {
                    throw e;
                }
            }
            LockSupport.parkNanos(PAUSE_NANOS);
        }
    }

    private DriverConnections connections(String password) {
        return new DriverConnections(driver, new Target(target.url(), target.user(), password, null, directory));
    }

    /** Whether it failed because a host starts or ends. */
    static boolean isPassing(Throwable failure) {
        for (Throwable t = failure; t != null; t = t.getCause()) {
            if (t instanceof SQLException e && PASSING.contains(e.getErrorCode())) {
                return true;
            }
        }
        return false;
    }

    /** Call it when this process is about to end. */
    void leave() {
        fileLock.leave();
    }
}
