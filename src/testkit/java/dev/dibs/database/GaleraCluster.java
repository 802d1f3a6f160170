package dev.dibs.database;

import dev.dibs.process.Shell;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Three nodes of MariaDB that are one database, each of which accepts writes. From Debian's packages: the MariaDB of the other tests has no
 * Galera.
 */
public final class GaleraCluster extends TestDatabase {
    static final Path PROGRAM = Path.of(System.getProperty("galera.programs", "/usr/sbin"), "mariadbd");
    static final Path PROVIDER = Path.of(System.getProperty("galera.library", "/usr/lib/galera"), "libgalera_smm.so");
    static final String NOBODY = "65534";
    private static final List<Path> NEEDED = List.of(
            PROGRAM,
            PROVIDER,
            Path.of("/usr/bin/my_print_defaults"),
            Path.of("/usr/bin/wsrep_sst_rsync"),
            Path.of("/usr/bin/rsync"));
    private static final int NODES = 3;
    private static final AtomicInteger COUNT = new AtomicInteger();

    private List<GaleraNode> nodes = List.of();

    private GaleraCluster() {
        super("galera-" + COUNT.incrementAndGet());
    }

    /** Another cluster, for tests that damage it. */
    public static GaleraCluster another() {
        return new GaleraCluster();
    }

    /** The ports of all nodes, always in the same order. */
    public List<Integer> ports() {
        url();
        return nodes.stream().map(GaleraNode::port).toList();
    }

    /** For a client that connects to the first of them that answers. */
    public static String urlAt(List<Integer> ports) {
        List<String> hosts = ports.stream().map(port -> "127.0.0.1:" + port).toList();
        return "jdbc:mariadb:sequential://" + String.join(",", hosts) + "/dibs?sslMode=disable";
    }

    @Override
    String ownUser() {
        return Mysqld.USER;
    }

    @Override
    public KeySamples keys() {
        return KeySamples.mariadb();
    }

    @Override
    public String urlAt(int port) {
        return "jdbc:mariadb://127.0.0.1:" + port + "/dibs?sslMode=disable";
    }

    /** The port of a running node. */
    @Override
    int ownPort() {
        return nodes.stream()
                .filter(GaleraNode::runs)
                .findFirst()
                .orElse(nodes.get(0))
                .port();
    }

    @Override
    boolean ownErrorLogCanBeRead() {
        return false;
    }

    public void killNode(int number) throws InterruptedException {
        nodes.get(number).kill();
    }

    /** The node joins the running ones again. */
    public void startNode(int number) throws Exception {
        nodes.get(number).start(addresses(), false);
    }

    /** After most nodes have died: the remaining one has noticed it, and goes on alone, by an administrator's order. */
    public void bootstrap(int number) throws Exception {
        nodes.get(number).await(false);
        Sql.on(nodes.get(number).dataSource()).run("SET GLOBAL wsrep_provider_options = 'pc.bootstrap=1'");
        nodes.get(number).await(true);
    }

    @Override
    Optional<String> obstacle() {
        List<Path> missing =
                NEEDED.stream().filter(path -> !Files.isReadable(path)).toList();
        return missing.isEmpty()
                ? Optional.empty()
                : Optional.of(
                        "Galera is not installed, there is no " + missing
                                + ": apt-get install mariadb-server-core mariadb-client-core galera-4 rsync, and wsrep_sst_rsync of mariadb-server");
    }

    @Override
    void start() throws Exception {
        if (nodes.isEmpty()) {
            nodes = install();
        }
        for (GaleraNode node : nodes) {
            node.start(addresses(), node == nodes.get(0));
            if (node == nodes.get(0)) {
                prepare(node);
            }
        }
    }

    @Override
    void crash() throws InterruptedException {
        for (GaleraNode node : nodes) {
            if (node.runs()) {
                node.kill();
            }
        }
    }

    private List<String> addresses() {
        return nodes.stream().map(GaleraNode::address).toList();
    }

    private List<GaleraNode> install() throws IOException {
        Path home = Workspace.fresh(name());
        List<GaleraNode> made = new ArrayList<>();
        for (int number = 0; number < NODES; number++) {
            made.add(new GaleraNode(home.resolve("n" + number)));
        }
        Shell.run(List.of(
                System.getProperty("galera.install", "/usr/bin/mariadb-install-db"),
                "--no-defaults",
                "--user=" + System.getProperty("user.name"),
                "--basedir=" + PROGRAM.getParent().getParent(),
                "--datadir=" + home.resolve("n0/data"),
                "--auth-root-authentication-method=normal"));
        for (GaleraNode node : made) {
            node.giveToNobody();
        }
        return made;
    }

    private static void prepare(GaleraNode node) throws SQLException {
        Sql.on(node.dataSource())
                .run(
                        "CREATE DATABASE IF NOT EXISTS dibs",
                        "CREATE USER IF NOT EXISTS dibs@'%'",
                        "GRANT ALL ON *.* TO dibs@'%' WITH GRANT OPTION");
    }

    /** As root, the copies between the nodes fail. */
    static List<String> asNobody() {
        return Shell.asRoot()
                ? List.of("setpriv", "--reuid=" + NOBODY, "--regid=" + NOBODY, "--clear-groups")
                : List.of();
    }

    @Override
    Set<Trait> differences() {
        return Set.of(Trait.GUARD_TELLS_OF_NO_TRANSACTION, Trait.KEEPS_REFUSED_ROWS);
    }
}
