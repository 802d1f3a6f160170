package dev.dibs.database;

import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;

/** One PostgreSQL server. */
public final class PostgresDatabase extends TestDatabase {
    private static final String PREFIX = "^\\S+ \\S+ \\S+ \\[\\d+\\] ";
    private static final Pattern ENTRY = Pattern.compile(PREFIX + "(LOG|WARNING|ERROR|FATAL|PANIC):");
    private static final Pattern COMPLAINT = Pattern.compile(PREFIX + "(WARNING|ERROR|FATAL|PANIC):");

    private static final AtomicInteger COUNT = new AtomicInteger();

    private final String fsync;
    private PostgresServer server;

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
        return PostgresServer.USER;
    }

    @Override
    public String password() {
        return "";
    }

    @Override
    public String urlAt(int somePort) {
        return PostgresServer.urlAt(somePort);
    }

    @Override
    public int port() {
        return server.port();
    }

    @Override
    public ErrorLog errorLog() {
        url();
        return ErrorLog.ofFile(server.log(), ENTRY, COMPLAINT);
    }

    /** The first process of the server; its children serve one connection each. */
    public long postmaster() throws IOException {
        url();
        return server.pid();
    }

    @Override
    Optional<String> obstacle() {
        return PostgresServer.obstacle();
    }

    @Override
    void start() throws Exception {
        if (server == null) {
            server = new PostgresServer(Workspace.fresh(name()), Map.of("fsync", fsync));
        }
        server.start();
    }

    @Override
    void crash() throws IOException {
        server.crash();
    }
}
