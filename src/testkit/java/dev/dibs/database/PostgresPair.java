package dev.dibs.database;

import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntUnaryOperator;

/**
 * Two PostgreSQL servers, a primary and its standby, each on a port of its own. When the primary dies, the standby can take its place. A
 * new standby is then made in place of the dead primary, from the new one.
 */
public final class PostgresPair extends TestDatabase {
    private static final AtomicInteger COUNT = new AtomicInteger();
    private static final Duration PATIENCE = Duration.ofMinutes(3);
    private static final long PAUSE = 20;
    /** A new standby gets everything from the primary; the leftovers of a dead server are below its data directory. */
    private static final Map<String, String> SETTINGS =
            Map.of("wal_keep_size", "1GB", "dynamic_shared_memory_type", "mmap", "wal_receiver_status_interval", "1s");

    private final boolean synchronous;
    private final IntUnaryOperator link;
    private List<PostgresServer> servers = List.of();
    private int primary;
    private CompletableFuture<Void> standby = CompletableFuture.completedFuture(null);

    private PostgresPair(String kind, boolean synchronous, IntUnaryOperator link) {
        super("postgresql-pair-" + kind + "-" + COUNT.incrementAndGet());
        this.synchronous = synchronous;
        this.link = link;
    }

    /** A commit is answered when the standby has it on its disk. */
    public static PostgresPair synchronous(IntUnaryOperator link) {
        return new PostgresPair("synchronous", true, link);
    }

    /**
     * A commit is answered when the primary has it; the standby gets it soon.
     *
     * @param link the port by which the standby reaches the primary's
     */
    public static PostgresPair asynchronous(IntUnaryOperator link) {
        return new PostgresPair("asynchronous", false, link);
    }

    /** The ports of both, always in the same order. */
    public List<Integer> ports() {
        url();
        return servers.stream().map(PostgresServer::port).toList();
    }

    /** For clients that look for the primary themselves. */
    public String urlAt(List<Integer> ports) {
        return "jdbc:postgresql://127.0.0.1:" + ports.get(0) + ",127.0.0.1:" + ports.get(1)
                + "/postgres?targetServerType=primary";
    }

    @Override
    String ownUser() {
        return PostgresServer.USER;
    }

    /** For one of the two. */
    @Override
    public KeySamples keys() {
        return KeySamples.postgresql();
    }

    @Override
    public String urlAt(int port) {
        return PostgresServer.urlAt(port);
    }

    /** The primary's port, which changes with a failover. */
    @Override
    int ownPort() {
        return primary().port();
    }

    @Override
    boolean ownErrorLogCanBeRead() {
        return false;
    }

    /** Returns when there is a standby that has all acknowledged commits, and gets further ones in the configured way. */
    public void awaitStandby() {
        url();
        standby.join();
    }

    /** Kills all of the primary's processes at once. Waits for a standby first. */
    public void killPrimary() throws IOException, InterruptedException {
        awaitStandby();
        primary().kill();
    }

    /** The standby becomes the primary, and then gets a standby of its own, which takes longer than this call. */
    public void promote() throws SQLException {
        PostgresServer next = standby();
        try (Connection connection = next.dataSource().getConnection();
                Statement statement = connection.createStatement()) {
            if (!ask(statement, "SELECT pg_promote(true, 180)").equals("t")) {
                throw new SQLException("It was not promoted within three minutes");
            }
            // It is alone: it would wait in vain for a synchronous standby.
            statement.execute("ALTER SYSTEM RESET ALL");
            statement.execute("SELECT pg_reload_conf()");
        }
        primary = 1 - primary;
        standby = CompletableFuture.runAsync(this::makeStandby);
    }

    @Override
    Optional<String> obstacle() {
        return PostgresServer.obstacle();
    }

    @Override
    void start() throws Exception {
        if (servers.isEmpty()) {
            Path home = Workspace.fresh(name());
            servers = List.of(
                    new PostgresServer(home.resolve("a"), SETTINGS), new PostgresServer(home.resolve("b"), SETTINGS));
            primary().start();
            makeStandby();
        } else {
            primary().start();
            standby().start();
            awaitStream();
        }
    }

    /** Crashes both of them. */
    @Override
    void crash() throws IOException {
        standby.handle((made, failed) -> null).join();
        for (PostgresServer server : servers) {
            if (server.runs()) {
                server.crash();
            }
        }
    }

    private PostgresServer primary() {
        return servers.get(primary);
    }

    private PostgresServer standby() {
        return servers.get(1 - primary);
    }

    private void makeStandby() {
        try {
            String way =
                    "host=127.0.0.1 port=" + link.applyAsInt(port()) + " user=" + user() + " application_name=standby";
            BaseBackup.take(primary(), standby().data(), way);
            standby().start();
            if (synchronous) {
                waitForStandby();
            }
            awaitStream();
        } catch (Exception e) {
            throw new IllegalStateException("Cannot make a standby", e);
        }
    }

    private void waitForStandby() throws SQLException {
        Sql.on(primary().dataSource())
                .run(
                        "SET default_transaction_read_only = off",
                        "ALTER SYSTEM SET synchronous_standby_names = 'standby'",
                        "SELECT pg_reload_conf()");
    }

    private void awaitStream() throws SQLException, InterruptedException {
        String state = synchronous ? "sync" : "async";
        try (Connection connection = primary().dataSource().getConnection();
                Statement statement = connection.createStatement()) {
            await(
                    statement,
                    "SELECT count(*) FROM pg_stat_replication WHERE state = 'streaming' AND sync_state = '" + state
                            + "'");
            String written = ask(statement, "SELECT pg_current_wal_lsn()");
            await(statement, "SELECT count(*) FROM pg_stat_replication WHERE flush_lsn >= '" + written + "'");
        }
    }

    private static void await(Statement statement, String count) throws SQLException, InterruptedException {
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (!ask(statement, count).equals("1")) {
            if (System.nanoTime() > end) {
                throw new SQLException("Not within " + PATIENCE + ": " + count);
            }
            Thread.sleep(PAUSE);
        }
    }

    private static String ask(Statement statement, String sql) throws SQLException {
        try (ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return row.getString(1);
        }
    }
}
