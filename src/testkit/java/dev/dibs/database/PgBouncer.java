package dev.dibs.database;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.awaitility.Awaitility;

/** A PgBouncer in transaction mode before a PostgreSQL server: each transaction may run in another session. */
public final class PgBouncer implements AutoCloseable {

    private static final Path PROGRAM = Path.of("/usr/sbin/pgbouncer");

    private final TestDatabase database;
    private final Process process;
    private final int port;

    /** Starts one with so many sessions on the server. */
    public PgBouncer(TestDatabase database, int sessions) throws IOException {
        this.database = database;
        // The url also starts the server.
        String unused = database.url();
        port = Workspace.freePort();
        Path folder = Workspace.fresh(TestDatabase.another("pgbouncer"));
        Path users = Files.writeString(folder.resolve("users.txt"), "\"" + database.user() + "\" \"\"\n");
        Path settings = Files.writeString(
                folder.resolve("pgbouncer.ini"), """
                [databases]
                * = host=127.0.0.1 port=%d
                [pgbouncer]
                listen_addr = 127.0.0.1
                listen_port = %d
                unix_socket_dir =
                auth_type = trust
                auth_file = %s
                pool_mode = transaction
                default_pool_size = %d
                max_client_conn = 200
                server_round_robin = 1
                ignore_startup_parameters = extra_float_digits
                """.formatted(database.port(), port, users, sessions));
        // It refuses to run as root, and opens its files as the other user.
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
        process = new ProcessBuilder(PROGRAM.toString(), "-u", "nobody", settings.toString())
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("log").toFile())
                .start();
        Awaitility.await("PgBouncer").until(this::answers);
    }

    /** Why there is none here. */
    public static Optional<String> obstacle() {
        return Files.isExecutable(PROGRAM) ? Optional.empty() : Optional.of("PgBouncer is not installed");
    }

    private boolean answers() {
        try (Connection connection = dataSource("").getConnection()) {
            return connection.isValid(5);
        } catch (SQLException e) {
            return false;
        }
    }

    /** New connections through it, no pool. */
    public DataSource dataSource(String parameters) {
        return new DriverDataSource(url(parameters), database.user(), database.password());
    }

    /** Its url, with parameters such as "?prepareThreshold=0". */
    public String url(String parameters) {
        return database.urlAt(port) + parameters;
    }

    @Override
    public void close() throws InterruptedException {
        process.destroy();
        process.waitFor(10, TimeUnit.SECONDS);
    }
}
