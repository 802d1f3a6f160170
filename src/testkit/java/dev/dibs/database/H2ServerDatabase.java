package dev.dibs.database;

import dev.dibs.process.ChildJvm;
import java.nio.file.Path;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.h2.tools.Server;

/** H2 as a server of its own, in a process that can be killed. */
public final class H2ServerDatabase extends AnyH2Database {
    private static final Duration PATIENCE = Duration.ofMinutes(3);

    private Path home;
    private int port;
    private ChildJvm server;
    /** While it is open, the database is open, too, and forgets no commit in a crash. */
    @SuppressWarnings("UnusedVariable")
    private Connection host;

    /** A new one, for the caller alone. */
    public H2ServerDatabase() {
        super("h2-server");
    }

    @Override
    public String urlAt(int somePort) {
        return "jdbc:h2:tcp://127.0.0.1:" + somePort + "/dibs";
    }

    @Override
    int ownPort() {
        return port;
    }

    @Override
    boolean ownErrorLogCanBeRead() {
        return false;
    }

    @Override
    void start() throws Exception {
        if (home == null) {
            home = Workspace.fresh(name());
            port = Workspace.freePort();
        }
        server = ChildJvm.start(
                List.of("-Dh2.bindAddress=127.0.0.1"),
                Map.of(),
                Server.class,
                "-tcp",
                "-tcpPort",
                Integer.toString(port),
                "-baseDir",
                home.toString(),
                "-ifNotExists");
        server.awaitLine(line -> line.contains("running at"), PATIENCE);
        host = new DriverDataSource(urlAt(port) + ";WRITE_DELAY=0", user(), password()).getConnection();
    }

    @Override
    void crash() {
        server.kill();
    }
}
