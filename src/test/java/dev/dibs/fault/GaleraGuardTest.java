package dev.dibs.fault;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.dibs.Dialect;
import dev.dibs.Dibs;
import dev.dibs.DibsException;
import dev.dibs.Lease;
import dev.dibs.LeaseLostException;
import dev.dibs.database.FullRun;
import dev.dibs.database.GaleraCluster;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A guarded transaction at one node of a cluster, open up to about the moment at which the lock is taken over at another. Only if it is asked
 * for: {@code -Dgalera.times=1} lets each of some threads try {@value #TRIES} times.
 */
@Tag("fault")
@FullRun
class GaleraGuardTest {
    private static final int TIMES = Integer.getInteger("galera.times", 0);
    private static final int TRIES = 30;
    private static final int THREADS = 6;
    private static final Duration LEASE = Duration.ofMillis(600);
    /** How long around the end of the lease the commit is tried. */
    private static final int SPREAD_MILLIS = 40;

    /** How often it was committed, and how often behind the back of the next holder. */
    private record Outcome(int committed, int late) {}

    @Test
    void theDialectOfTheClusterGuardsOverItsNodes() throws Exception {
        Outcome outcome = race("galera");
        assertThat(outcome.committed())
                .as("a race that nobody wins shows nothing")
                .isPositive();
        assertThat(outcome.late()).as("commits after the takeover").isZero();
    }

    /** What docs/scaling.md warns of; if this fails the test above shows nothing. */
    @Test
    void thatOfOneServerDoesNot() throws Exception {
        assertThat(race("mariadb").late()).isPositive();
    }

    private static Outcome race(String dialect) throws Exception {
        Assumptions.assumeTrue(TIMES > 0, "Three nodes take a while: -Dgalera.times=1, to run this test");
        GaleraCluster cluster = GaleraCluster.another();
        cluster.assumeAvailable();
        List<Integer> ports = cluster.ports();
        ExecutorService threads = Executors.newFixedThreadPool(THREADS);
        int committed = 0;
        int late = 0;
        try (HikariDataSource here = pool(cluster, ports.get(0));
                HikariDataSource there = pool(cluster, ports.get(1));
                Dibs first = dibs(here, dialect);
                Dibs second = dibs(there, dialect)) {
            first.createSchema();
            run(here, "CREATE TABLE written (name varchar(200) PRIMARY KEY)");
            List<Future<Outcome>> tries = new ArrayList<>();
            for (int i = 0; i < TIMES * TRIES * THREADS; i++) {
                String name = "guarded-" + i;
                tries.add(threads.submit(() -> attempt(first, second, here, there, name)));
            }
            for (Future<Outcome> attempt : tries) {
                committed += attempt.get().committed();
                late += attempt.get().late();
            }
        } finally {
            threads.shutdownNow();
            cluster.kill();
        }
        System.out.println(dialect + ": of " + TIMES * TRIES * THREADS + " guarded transactions " + committed
                + " were committed, " + late + " of them after the takeover");
        return new Outcome(committed, late);
    }

    private static Outcome attempt(Dibs first, Dibs second, HikariDataSource here, HikariDataSource there, String name)
            throws Exception {
        Lease lease = first.lock(name).leaseFor(LEASE).tryAcquire().orElseThrow();
        Thread.sleep(LEASE.toMillis() / 4);
        ExecutorService successor = Executors.newSingleThreadExecutor();
        try {
            Future<Boolean> seen = successor.submit(() -> {
                try (Lease next = second.lock(name).acquire(Duration.ofSeconds(30))) {
                    return next.isValid() && isWritten(there, name);
                }
            });
            boolean committed = write(here, lease, name);
            lease.close();
            boolean late = committed && !seen.get();
            return new Outcome(committed ? 1 : 0, late ? 1 : 0);
        } finally {
            successor.shutdown();
            lease.close();
        }
    }

    /** While the transaction is open its own node does not renew the lease, so that it passes. */
    private static boolean write(HikariDataSource pool, Lease lease, String name) throws InterruptedException {
        try (Connection connection = pool.getConnection()) {
            connection.setAutoCommit(false);
            try {
                lease.guard(connection);
                try (PreparedStatement insert = connection.prepareStatement("INSERT INTO written VALUES (?)")) {
                    insert.setString(1, name);
                    insert.executeUpdate();
                }
                Thread.sleep(Math.max(0, lease.remaining().toMillis())
                        + ThreadLocalRandom.current().nextInt(SPREAD_MILLIS));
                connection.commit();
                return true;
            } finally {
                connection.rollback();
            }
        } catch (SQLException | DibsException | LeaseLostException refused) {
            return false;
        }
    }

    private static boolean isWritten(HikariDataSource pool, String name) throws SQLException {
        try (Connection connection = pool.getConnection();
                PreparedStatement select = connection.prepareStatement("SELECT 1 FROM written WHERE name = ?")) {
            select.setString(1, name);
            try (ResultSet row = select.executeQuery()) {
                return row.next();
            }
        }
    }

    private static void run(HikariDataSource pool, String sql) throws SQLException {
        try (Connection connection = pool.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private static Dibs dibs(HikariDataSource pool, String dialect) {
        return Dibs.builder(pool).dialect(Dialect.named(dialect)).build();
    }

    private static HikariDataSource pool(GaleraCluster cluster, int port) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(cluster.urlAt(port));
        config.setUsername(cluster.user());
        config.setPassword(cluster.password());
        config.setMaximumPoolSize(THREADS * 2 + 2);
        return new HikariDataSource(config);
    }
}
