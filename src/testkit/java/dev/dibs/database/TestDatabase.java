package dev.dibs.database;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.dibs.Dibs;
import dev.dibs.process.ChildJvm;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.Assumptions;

/**
 * One real database. Its server starts when its URL is first requested. All tests of a JVM share it, and it ends with the JVM. Other
 * processes may connect by URL, user and password. A server that is given takes its place: see {@link GivenServer}.
 */
public abstract class TestDatabase extends Traits {
    /** Enough for all tests that run at once. */
    private static final int LARGE = 60;

    private static final AtomicInteger COUNT = new AtomicInteger();

    private final String name;
    private final String folder;
    private final Queue<TestDatabase> idle = new ConcurrentLinkedQueue<>();
    private final GivenServer given;
    private Optional<String> obstacle;
    private boolean running;
    private HikariDataSource shared;

    TestDatabase(String name) {
        this(name, name);
    }

    TestDatabase(String name, String folder) {
        this(name, folder, null);
    }

    /** A server that the tests start, or the one that is given. */
    TestDatabase(String name, String folder, GivenServer given) {
        this.name = name;
        this.folder = folder;
        this.given = given;
    }

    /** The given server; null for one that the tests start. */
    final GivenServer given() {
        return given;
    }

    /** Whether the server is not ours: it cannot be killed, and its log cannot be read. */
    public final boolean isGiven() {
        return given != null;
    }

    /** An empty folder for its data. */
    final Path freshFolder() throws IOException {
        return Workspace.fresh(folder);
    }

    /** A name for another one of this kind. */
    static String another(String name) {
        return name + "-" + COUNT.incrementAndGet();
    }

    public final String name() {
        return name;
    }

    public final synchronized String url() {
        if (given != null) {
            return given.url();
        }
        if (!running) {
            attempt("start", this::start);
            running = true;
        }
        return urlAt(port());
    }

    public final String user() {
        return given == null ? ownUser() : given.user();
    }

    public final String password() {
        return given == null ? ownPassword() : given.password();
    }

    abstract String ownUser();

    String ownPassword() {
        return "";
    }

    /** The same database through another port of this machine, such as a proxy's; not for H2 and SQL Server. */
    public abstract String urlAt(int port);

    /** The server's port on 127.0.0.1; zero for a server that is not ours. */
    public final int port() {
        return given == null ? ownPort() : 0;
    }

    abstract int ownPort();

    /** New connections, no pool. */
    public final DataSource dataSource() {
        return new DriverDataSource(url(), user(), password());
    }

    /** A pool for all tests, with autocommit on; the tables of Dibs exist. */
    public final synchronized HikariDataSource shared() {
        if (shared == null) {
            HikariDataSource pool = pool(config -> config.setMaximumPoolSize(LARGE));
            try (Dibs dibs = Dibs.on(pool)) {
                dibs.admin().createSchema();
            }
            shared = pool;
        }
        return shared;
    }

    /**
     * The database for one test, until it is {@linkplain #takeBack taken back}: this one, unless tests that run at once cannot share it.
     */
    final TestDatabase lend() {
        TestDatabase returned = idle.poll();
        return returned == null ? part() : returned;
    }

    final void takeBack(TestDatabase lent) {
        if (lent != this) {
            idle.add(lent);
        }
    }

    /** A part of this one for one test at a time, with tables of its own; this one if all tests can share it. */
    TestDatabase part() {
        return this;
    }

    /** A server of this kind that no other test uses; this one if there can be only one. */
    TestDatabase own() {
        return this;
    }

    /** Another JVM on this database: url, user and password are its first arguments. */
    public final ChildJvm startJvm(Class<?> main, String... arguments) {
        return ChildJvm.start(
                main,
                Stream.concat(Stream.of(url(), user(), password()), Stream.of(arguments))
                        .toArray(String[]::new));
    }

    /** A pool that the caller closes. */
    public final HikariDataSource pool(Consumer<HikariConfig> settings) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(url());
        config.setUsername(user());
        config.setPassword(password());
        config.setMinimumIdle(1);
        settings.accept(config);
        return new HikariDataSource(config);
    }

    /** A pool, which the caller closes, of a user of {@link #newUser}. */
    public final HikariDataSource poolOf(String user) {
        return pool(config -> {
            // H2: only an administrator may set options in the URL.
            config.setJdbcUrl(config.getJdbcUrl().replace(";WRITE_DELAY=0", ""));
            config.setUsername(user);
            config.setPassword("");
        });
    }

    /** A pool, which the caller closes, of sessions that cannot hold all texts, if there can be such; the tables of Dibs exist. */
    public final HikariDataSource narrow() throws SQLException {
        return withTables(pool(this::narrow));
    }

    /** The same for a database that takes the bytes of a text as they are, and counts them, if there can be such. */
    public final HikariDataSource unencoded() {
        return withTables(pool(this::unencoded));
    }

    private static HikariDataSource withTables(HikariDataSource pool) {
        try (Dibs dibs = Dibs.on(pool)) {
            dibs.admin().createSchema();
        }
        return pool;
    }

    /** Nothing to do: each database of this server has an encoding. */
    void unencoded(HikariConfig config) {}

    /** Nothing to do: this database can hold all texts. */
    void narrow(HikariConfig config) {}

    /** Kills the server without a chance to clean up, and starts it again on the same data and port. */
    public final synchronized void restart() {
        String url = url();
        attempt("crash", this::crash);
        attempt("start " + url + " again", this::start);
    }

    /** Kills the server; until {@link #startAgain} nobody can connect. */
    public final synchronized void kill() {
        url();
        attempt("crash", this::crash);
    }

    /** After a {@link #kill}, on the same data and port. */
    public final synchronized void startAgain() {
        attempt("start again", this::start);
    }

    public final boolean canRestart() {
        return given == null && ownCanRestart();
    }

    boolean ownCanRestart() {
        return true;
    }

    /** The server's complaints from now on: errors and warnings in its log, and every failed statement. */
    public ErrorLog errorLog() {
        throw new UnsupportedOperationException("see canReadErrorLog()");
    }

    public final boolean canReadErrorLog() {
        return given == null && ownErrorLogCanBeRead();
    }

    boolean ownErrorLogCanBeRead() {
        return true;
    }

    public final boolean available() {
        return whyUnavailable().isEmpty();
    }

    /**
     * One line that says what is missing on this machine, or nothing.
     *
     * @throws IllegalStateException if the server that is given cannot run the contracts: that is no reason to skip them
     */
    public final synchronized Optional<String> whyUnavailable() {
        if (obstacle == null && given != null) {
            given.requireFit(has(Trait.LOCKS_ROWS));
            obstacle = Optional.empty();
        }
        if (obstacle == null) {
            attempt("look for", () -> obstacle = obstacle());
        }
        return obstacle;
    }

    /** Skips the running test if this database is not available here. */
    public final void assumeAvailable() {
        Assumptions.assumeTrue(available(), () -> whyUnavailable().orElse(""));
    }

    @Override
    public String toString() {
        return name;
    }

    abstract Optional<String> obstacle() throws Exception;

    /** Installs the server at its first start; returns when it can be used. */
    abstract void start() throws Exception;

    abstract void crash() throws Exception;

    static void execute(DataSource dataSource, String sql) throws SQLException {
        Sql.on(dataSource).run(sql);
    }

    static boolean onLinuxX64() {
        return System.getProperty("os.name").equals("Linux")
                && List.of("amd64", "x86_64").contains(System.getProperty("os.arch"));
    }

    private interface Attempt {
        void run() throws Exception;
    }

    private void attempt(String what, Attempt attempt) {
        try {
            attempt.run();
        } catch (Exception e) {
            throw new IllegalStateException("Cannot " + what + " " + name, e);
        }
    }
}
