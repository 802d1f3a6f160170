package dev.dibs.database;

import dev.dibs.process.Leash;
import dev.dibs.process.Shell;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The server process of PostgreSQL on a constant data directory and port, with the durability that the embedded one switches off. */
final class PostgresServer {
    static final String USER = "postgres";
    private static final Duration PATIENCE = Duration.ofMinutes(3);
    private static final long PAUSE = 2;

    private final Path home;
    private final Map<String, String> settings;
    private final int port = Workspace.freePort();
    private EmbeddedPostgres server;
    private Leash leash;

    /**
     * @param home gets the data directory and the log
     * @param settings besides those that all servers have
     */
    PostgresServer(Path home, Map<String, String> settings) throws IOException {
        this.home = Files.createDirectories(home);
        this.settings = settings;
    }

    static Optional<String> obstacle() {
        if (!TestDatabase.onLinuxX64()) {
            return Optional.of("The embedded PostgreSQL on the class path is for Linux on x86-64");
        }
        if (Shell.asRoot() && !canUnshare()) {
            return Optional.of("PostgreSQL does not run as root and `unshare -U` is forbidden: build as another user");
        }
        return Optional.empty();
    }

    static String urlAt(int port) {
        return "jdbc:postgresql://127.0.0.1:" + port + "/postgres";
    }

    int port() {
        return port;
    }

    DriverDataSource dataSource() {
        return new DriverDataSource(urlAt(port), USER, "");
    }

    Path data() {
        return home.resolve("data");
    }

    Path log() {
        return home.resolve("log");
    }

    /** The first process; its children serve one connection each. */
    long pid() throws IOException {
        return Long.parseLong(
                Files.readAllLines(data().resolve("postmaster.pid")).get(0).trim());
    }

    boolean runs() {
        return server != null;
    }

    /** On the existing data directory; creates one if there is none. */
    void start() throws Exception {
        Path programs = Workspace.once("postgresql", directory -> {});
        // The builder reads it; else it unpacks into the machine's temporary directory.
        System.setProperty("ot.epg.working-dir", programs.toString());
        server = builder().start();
        leash = Leash.on(pid(), "QUIT");
    }

    /** Makes it drop all connections and end at once: at the next start it reads unwritten changes from its log. */
    void crash() throws IOException {
        leash.kill();
        close();
    }

    /** Ends all of its processes at once, as if the machine crashed. */
    void kill() throws IOException, InterruptedException {
        Shell.signal("KILL", pid());
        long end = System.nanoTime() + PATIENCE.toNanos();
        for (List<ProcessHandle> left = processes(); !left.isEmpty(); left = processes()) {
            if (System.nanoTime() > end) {
                throw new IOException("They cannot be killed: " + left);
            }
            left.forEach(ProcessHandle::destroyForcibly);
            Thread.sleep(PAUSE);
        }
        Files.delete(data().resolve("postmaster.pid"));
        leash.letGo();
        close();
    }

    /** Each has the data directory as its own, and no other process has. */
    private List<ProcessHandle> processes() throws IOException {
        Path directory = data().toRealPath();
        return ProcessHandle.allProcesses()
                .filter(process -> worksIn(directory, process.pid()))
                .toList();
    }

    private static boolean worksIn(Path directory, long pid) {
        try {
            return Files.readSymbolicLink(Path.of("/proc", Long.toString(pid), "cwd"))
                    .equals(directory);
        } catch (IOException e) {
            // It has ended, or belongs to another user.
            return false;
        }
    }

    private void close() throws IOException {
        server.close();
        server = null;
    }

    private EmbeddedPostgres.Builder builder() {
        EmbeddedPostgres.Builder builder = EmbeddedPostgres.builder()
                .setDataDirectory(data())
                .setCleanDataDirectory(false)
                .setRegisterShutdownHook(false)
                .setPort(port)
                .setPGStartupWait(PATIENCE)
                .setOutputRedirector(Redirect.appendTo(log().toFile()))
                .setLocaleConfig("locale", "C.UTF-8")
                .setServerConfig("fsync", "on")
                .setServerConfig("synchronous_commit", "on")
                .setServerConfig("max_connections", "500")
                // Else a restart first syncs every file of the data directory.
                .setServerConfig("recovery_init_sync_method", "syncfs")
                .setServerConfig("listen_addresses", "127.0.0.1")
                .setServerConfig("unix_socket_directories", "");
        settings.forEach(builder::setServerConfig);
        return builder;
    }

    private static boolean canUnshare() {
        try {
            Shell.run(List.of("unshare", "-U", "true"));
            return true;
        } catch (IOException e) {
            return false;
        }
    }
}
