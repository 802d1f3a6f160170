package dev.dibs.database;

import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;

/**
 * H2 in a file that several processes share, of which the first one hosts it for the others. This JVM does so at the beginning and at the
 * end. Between the two it is a client of the host, and never becomes the host.
 */
public final class H2SharedFile extends AnyH2Database {
    private final List<Integer> ports = new ArrayList<>();
    private final int processes;
    private Path file;
    private Connection host;

    /** A new one, for this number of other processes. */
    public H2SharedFile(int processes) {
        super("h2-shared-file");
        this.processes = processes;
    }

    /** For another process, by its number from 0. */
    public String urlOfProcess(int number) {
        return url(ports.get(number));
    }

    private String url(int portAsHost) {
        return "jdbc:h2:async:" + file + ";AUTO_SERVER=TRUE;WRITE_DELAY=0;AUTO_SERVER_PORT=" + portAsHost;
    }

    /** The number of the process that is the host; -1 if none of them is. */
    public int host() {
        return ports.indexOf(port());
    }

    /** To the current host, as H2's own driver would find it by the lock file. */
    @Override
    public String urlAt(int port) {
        return "jdbc:h2:tcp://127.0.0.1:" + port + "/" + lock().getProperty("id");
    }

    /** The host's; if there is none, a port without a listener. */
    @Override
    int ownPort() {
        String server = lock().getProperty("server", ":1");
        return Integer.parseInt(server.substring(server.lastIndexOf(':') + 1));
    }

    private Properties lock() {
        Properties lock = new Properties();
        try (Reader reader = Files.newBufferedReader(Path.of(file + ".lock.db"))) {
            lock.load(reader);
        } catch (IOException e) {
            // No process hosts it just now.
            return new Properties();
        }
        return lock;
    }

    @Override
    boolean ownErrorLogCanBeRead() {
        return false;
    }

    @Override
    void start() throws SQLException, IOException {
        if (file == null) {
            System.setProperty("h2.bindAddress", "127.0.0.1");
            file = Workspace.fresh(name()).resolve("dibs");
            for (int process = 0; process < processes; process++) {
                ports.add(Workspace.freePort());
            }
        }
        enter();
    }

    /** From now on this JVM hosts it. */
    public void enter() throws SQLException {
        if (host == null) {
            host = new DriverDataSource(url(0), user(), password()).getConnection();
        }
    }

    /** From now on other processes host it. */
    public void leave() throws SQLException {
        host.close();
        host = null;
    }

    @Override
    void crash() throws SQLException {
        if (host != null) {
            leave();
        }
    }
}
