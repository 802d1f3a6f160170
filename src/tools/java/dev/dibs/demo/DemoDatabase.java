package dev.dibs.demo;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import javax.sql.DataSource;

/**
 * The database of one run: the named one, or else an H2 in a directory of its own, which this process hosts for the workers. Everything
 * that the run created there is removed at its end.
 */
final class DemoDatabase implements Cleanup.Resource {

    private static final int CONNECTIONS = 5;
    private static final int RUNS = 0x1_0000;

    private final String url;
    private final String prefix = String.format("dibs_demo_%04x_", new SecureRandom().nextInt(RUNS));
    /** The directory for the demo's files: the H2 database, and the broken jar. */
    private final Path home;

    private final boolean embedded;
    private final boolean keep;
    private final HikariDataSource pool;
    private final Store store;
    private final DemoTables tables;
    private final AtomicBoolean closed = new AtomicBoolean();

    private DemoDatabase(Settings settings, Path home) {
        keep = settings.keep();
        this.home = home;
        embedded = settings.url().isEmpty();
        url = embedded ? embeddedUrl(home) : settings.url();
        pool = pool(url, settings.user(), settings.password());
        store = new Store(pool, new DemoSql(prefix));
        tables = new DemoTables(store, prefix);
    }

    /** Connects and creates the tables. */
    static DemoDatabase open(Settings settings) throws IOException, SQLException {
        DemoDatabase database = connect(settings);
        try {
            database.tables.create();
            return database;
        } catch (SQLException | RuntimeException e) {
            database.close();
            throw e;
        }
    }

    private static DemoDatabase connect(Settings settings) throws IOException {
        Path home = Files.createTempDirectory("dibs-demo-");
        try {
            return new DemoDatabase(settings, home);
        } catch (RuntimeException e) {
            delete(home);
            throw e;
        }
    }

    /**
     * AUTO_SERVER admits other processes; without WRITE_DELAY=0 a crash may forget commits; without async an interrupt of a thread inside
     * of H2 closes the file.
     */
    private static String embeddedUrl(Path home) {
        // H2 reads it once: else its server listens on all interfaces.
        System.setProperty("h2.bindAddress", "127.0.0.1");
        return "jdbc:h2:async:" + home.toAbsolutePath().resolve("demo") + ";AUTO_SERVER=TRUE;WRITE_DELAY=0";
    }

    /** A few connections, one of which is always open. */
    static HikariDataSource pool(String url, String user, String password) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(url);
        if (!user.isEmpty()) {
            config.setUsername(user);
            config.setPassword(password);
        }
        config.setMaximumPoolSize(CONNECTIONS);
        config.setMinimumIdle(1);
        return new HikariDataSource(config);
    }

    /** A directory that is removed with this database. */
    Path home() {
        return home;
    }

    String url() {
        return url;
    }

    String prefix() {
        return prefix;
    }

    DataSource pool() {
        return pool;
    }

    Store store() {
        return store;
    }

    DemoTables tables() {
        return tables;
    }

    /** Its name and version as it reports them. */
    String product() throws SQLException {
        try (Connection connection = pool.getConnection()) {
            String version = connection.getMetaData().getDatabaseProductVersion();
            return connection.getMetaData().getDatabaseProductName() + " " + version.split("\\s", 2)[0];
        }
    }

    /** The options with which another process finds the tables by the command, besides the user's own. */
    String options() {
        return "--prefix " + prefix + (embedded ? " --url '" + url + "'" : "");
    }

    /** The place of the tables, if they are kept. */
    String place() {
        return embedded ? url + ", tables " + prefix + "*" : "the tables " + prefix + "*";
    }

    @Override
    public void close() {
        if (!closed.compareAndSet(false, true)) {
            return;
        }
        try (pool) {
            if (!keep && !embedded) {
                tables.drop();
            }
        } catch (SQLException e) {
            System.err.println("The tables " + prefix + "* could not be dropped: " + e.getMessage());
        }
        if (!keep) {
            delete(home);
        }
    }

    private static void delete(Path home) {
        try (Stream<Path> paths = Files.walk(home)) {
            List<Path> deepestFirst = paths.sorted(Comparator.reverseOrder()).toList();
            for (Path path : deepestFirst) {
                Files.deleteIfExists(path);
            }
        } catch (IOException e) {
            System.err.println(home + " could not be deleted: " + e.getMessage());
        }
    }
}
