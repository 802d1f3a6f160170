package dev.dibs.database;

import dev.dibs.fault.Leash;
import dev.dibs.fault.Shell;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;

/** PostgreSQL, with the durability that the embedded one switches off. */
public final class PostgresDatabase extends TestDatabase {
    private static final String PREFIX = "^\\S+ \\S+ \\S+ \\[\\d+\\] ";
    private static final Pattern ENTRY = Pattern.compile(PREFIX + "(LOG|WARNING|ERROR|FATAL|PANIC):");
    private static final Pattern COMPLAINT = Pattern.compile(PREFIX + "(WARNING|ERROR|FATAL|PANIC):");

    private static final AtomicInteger COUNT = new AtomicInteger();

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final String fsync;
    private Path home;
    private int port;
    private EmbeddedPostgres server;
    private Leash leash;

    PostgresDatabase() {
        this("postgresql", "on");
    }

    private PostgresDatabase(String name, String fsync) {
        super(name);
        this.fsync = fsync;
    }

    /** Another server, which may forget commits if the machine crashes: to measure without the disk. */
    public static PostgresDatabase withoutFsync() {
        return new PostgresDatabase("postgresql-without-fsync", "off");
    }

    /** Another server, for one who lets it suffer. */
    public static PostgresDatabase another() {
        return new PostgresDatabase("postgresql-" + COUNT.incrementAndGet(), "on");
    }

    @Override
    public String user() {
        return "postgres";
    }

    @Override
    public String password() {
        return "";
    }

    @Override
    public String urlAt(int somePort) {
        return "jdbc:postgresql://127.0.0.1:" + somePort + "/postgres";
    }

    @Override
    public int port() {
        return port;
    }

    @Override
    public ErrorLog errorLog() {
        url();
        return ErrorLog.ofFile(log(), ENTRY, COMPLAINT);
    }

    /** The first process of the server; its children serve one connection each. */
    public long postmaster() throws IOException {
        url();
        return pid();
    }

    @Override
    Optional<String> obstacle() {
        if (!onLinuxX64()) {
            return Optional.of("The embedded PostgreSQL on the class path is for Linux on x86-64");
        }
        if (Shell.asRoot() && !canUnshare()) {
            return Optional.of("PostgreSQL does not run as root and `unshare -U` is forbidden: build as another user");
        }
        return Optional.empty();
    }

    @Override
    void start() throws Exception {
        if (home == null) {
            home = Workspace.fresh(name());
            port = Workspace.freePort();
            Path programs = Workspace.once("postgresql", directory -> {});
            // Read by the builder; else it unpacks into the machine's temporary directory.
            System.setProperty("ot.epg.working-dir", programs.toString());
        }
        server = builder().start();
        leash = Leash.on(pid(), "QUIT");
    }

    @Override
    void crash() throws IOException {
        leash.kill();
        server.close();
    }

    private EmbeddedPostgres.Builder builder() {
        return EmbeddedPostgres.builder()
                .setDataDirectory(data())
                .setCleanDataDirectory(false)
                .setRegisterShutdownHook(false)
                .setPort(port)
                .setPGStartupWait(PATIENCE)
                .setOutputRedirector(Redirect.appendTo(log().toFile()))
                .setLocaleConfig("locale", "C.UTF-8")
                .setServerConfig("fsync", fsync)
                .setServerConfig("synchronous_commit", "on")
                .setServerConfig("max_connections", "200")
                // Else a restart first syncs every file of the data directory.
                .setServerConfig("recovery_init_sync_method", "syncfs")
                .setServerConfig("listen_addresses", "127.0.0.1")
                .setServerConfig("unix_socket_directories", "");
    }

    private Path data() {
        return home.resolve("data");
    }

    private Path log() {
        return home.resolve("log");
    }

    private long pid() throws IOException {
        return Long.parseLong(
                Files.readAllLines(data().resolve("postmaster.pid")).get(0).trim());
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
