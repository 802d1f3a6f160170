package dev.dibs.database;

import dev.dibs.process.Leash;
import dev.dibs.process.Shell;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/** One node of a Galera cluster. When it joins, it gets missing changes, or everything, from another node. */
final class GaleraNode {
    private static final long PATIENCE_NANOS = 300_000_000_000L;
    private static final String READY = "SHOW STATUS LIKE 'wsrep_ready'";

    private final Path home;
    private final int port = Workspace.freePort();
    /** For the messages between the nodes. */
    private final int groupPort = Workspace.freePort();

    private final int catchUpPort = Workspace.freePort();
    private final int copyPort = Workspace.freePort();
    private Process process;
    private Leash leash;

    /** The directory has the data, or an empty folder for it. */
    GaleraNode(Path home) throws IOException {
        this.home = home;
        Files.createDirectories(home.resolve("tmp"));
        Files.createDirectories(home.resolve("data"));
    }

    int port() {
        return port;
    }

    String address() {
        return "127.0.0.1:" + groupPort;
    }

    boolean runs() {
        return process != null;
    }

    DriverDataSource dataSource() {
        return new DriverDataSource(
                "jdbc:mariadb://127.0.0.1:" + port + "/?sslMode=disable&connectTimeout=2000&socketTimeout=5000",
                "root",
                "");
    }

    /**
     * Returns when it may be used.
     *
     * @param nodes the addresses of all of them
     * @param first whether it begins the cluster
     */
    void start(List<String> nodes, boolean first) throws Exception {
        List<String> command = new ArrayList<>(GaleraCluster.asNobody());
        command.addAll(List.of(
                GaleraCluster.PROGRAM.toString(),
                "--no-defaults",
                "--datadir=" + home.resolve("data"),
                "--tmpdir=" + home.resolve("tmp"),
                "--port=" + port,
                "--bind-address=127.0.0.1",
                "--socket=s",
                "--skip-name-resolve",
                "--binlog-format=ROW",
                "--innodb-autoinc-lock-mode=2",
                "--innodb-flush-log-at-trx-commit=1",
                "--wsrep-on=ON",
                "--wsrep-provider=" + GaleraCluster.PROVIDER,
                "--wsrep-cluster-address=gcomm://" + String.join(",", nodes),
                "--wsrep-node-name=" + home.getFileName(),
                "--wsrep-node-address=127.0.0.1",
                "--wsrep-node-incoming-address=127.0.0.1:" + port,
                "--wsrep-sst-method=rsync",
                "--wsrep-sst-receive-address=127.0.0.1:" + copyPort,
                "--wsrep-provider-options=gmcast.listen_addr=tcp://" + address() + ";ist.recv_addr=127.0.0.1:"
                        + catchUpPort + ";pc.recovery=no"));
        if (first) {
            command.add("--wsrep-new-cluster");
        }
        process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(Redirect.appendTo(home.resolve("log").toFile()))
                .start();
        leash = Leash.on(process.pid(), "KILL");
        await(true);
    }

    /** Returns when it may be used, or not any more. */
    void await(boolean ready) throws Exception {
        long start = System.nanoTime();
        while (isReady() != ready) {
            if (!process.isAlive() || System.nanoTime() - start > PATIENCE_NANOS) {
                kill();
                List<String> log = Files.readAllLines(home.resolve("log"), StandardCharsets.ISO_8859_1);
                throw new IOException((ready ? "Does not start: " : "Does not notice: ")
                        + String.join("\n", log.subList(Math.max(0, log.size() - 30), log.size())));
            }
            Thread.sleep(50);
        }
    }

    void kill() throws InterruptedException {
        leash.kill();
        process.waitFor();
        process = null;
    }

    private boolean isReady() {
        try (Connection connection = dataSource().getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(READY)) {
            return row.next() && row.getString(2).equals("ON");
        } catch (SQLException e) {
            return false;
        }
    }

    void giveToNobody() throws IOException {
        if (Shell.asRoot()) {
            Shell.run(List.of("chown", "-R", GaleraCluster.NOBODY + ":" + GaleraCluster.NOBODY, home.toString()));
        }
    }
}
