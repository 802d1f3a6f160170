package dev.dibs.bench;

import com.zaxxer.hikari.HikariDataSource;
import dev.dibs.Dialect;
import dev.dibs.Dibs;
import dev.dibs.Lease;
import dev.dibs.database.TestDatabase;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;

/**
 * One database, prepared for measurements: a pool, a Dibs over it, and a second table of the same shape for bare statements.
 *
 * <p>The bare statements borrow a connection each, as Dibs does for each of its own.
 */
final class BenchDatabase implements AutoCloseable {
    static final int THREADS = 8;
    static final int MOST_THREADS = 64;
    static final int POOL = 10;

    private static final Duration LEASE = Duration.ofMinutes(5);
    private static final String TAKE = "UPDATE bare_lock SET owner = ?, held_until = ? WHERE name = ?";
    private static final String GIVE = "UPDATE bare_lock SET owner = NULL, held_until = ? WHERE name = ?";

    final HikariDataSource pool;
    final Dibs dibs;
    /** Has the lock that all others find busy. */
    private final Dibs other;

    private final Lease taken;

    BenchDatabase(TestDatabase database) throws SQLException {
        this(database, database.url());
    }

    /** By another way to the same database. */
    BenchDatabase(TestDatabase database, String url) throws SQLException {
        this(database, url, POOL);
    }

    BenchDatabase(TestDatabase database, String url, int connections) throws SQLException {
        pool = database.pool(config -> {
            config.setMaximumPoolSize(connections);
            config.setJdbcUrl(url);
        });
        dibs = Dibs.builder(pool).leaseLength(LEASE).build();
        dibs.admin().createSchema();
        other = Dibs.builder(pool).leaseLength(LEASE).holder("other").build();
        taken = other.lock("busy").acquire(Duration.ofSeconds(10));
        makeBareTable();
    }

    private void makeBareTable() throws SQLException {
        try (Dibs bare = Dibs.builder(pool).tablePrefix("bare_").build()) {
            bare.admin().createSchema();
        }
        for (int thread = 0; thread < MOST_THREADS; thread++) {
            update(
                    "INSERT INTO bare_lock (owner, fence, acquired_at, held_until, name) VALUES (?, 0, 0, ?, ?)",
                    "nobody",
                    name(thread));
        }
    }

    /** Two single-row updates by primary key, a commit each: a lock in a table cannot cost less. */
    Operation twoUpdates(int thread) {
        String name = name(thread);
        return () -> {
            update(TAKE, "0123456789abcdef0123456789abcdef", name);
            update(GIVE, null, name);
        };
    }

    /** Two on PostgreSQL, but the second one is committed without waiting for the disk, as a release is. */
    Operation oneDurableUpdate(int thread) {
        String name = name(thread);
        return () -> {
            update(TAKE, "0123456789abcdef0123456789abcdef", name);
            update(GIVE + " AND set_config('synchronous_commit', 'off', true) IS NOT NULL", null, name);
        };
    }

    Operation acquireAndRelease(int thread) {
        return acquireAndRelease(dibs, name(thread));
    }

    /** Another instance on the same pool, which always acquires as if a name were new to it. */
    Dibs neverRetaking() throws IOException {
        Path folder = Files.createTempDirectory("full");
        Files.writeString(
                folder.resolve("dialect.sql"),
                "-- fragment: base\n" + dibs.dialect().name() + "\n");
        Files.writeString(folder.resolve("features.properties"), "retakes_locks = no\n");
        return Dibs.builder(pool).leaseLength(LEASE).dialect(Dialect.at(folder)).build();
    }

    /** By another instance on the same pool, with names of its own: nobody else has a lock between its release and its next acquire. */
    Operation acquireAndReleaseBy(Dibs another, int thread) {
        return acquireAndRelease(another, name(thread) + "-another");
    }

    private static Operation acquireAndRelease(Dibs dibs, String name) {
        return () -> dibs.lock(name).tryAcquire().orElseThrow().close();
    }

    Operation selectOne() {
        return () -> {
            try (Connection connection = pool.getConnection();
                    PreparedStatement statement = connection.prepareStatement("SELECT 1");
                    ResultSet row = statement.executeQuery()) {
                require(row.next());
            }
        };
    }

    Operation busyTry() {
        return () -> require(dibs.lock(taken.name()).tryAcquire().isEmpty());
    }

    /** A second one on the same database has rows of its own. */
    String name(int thread) {
        return "name-" + taken.fencingToken() + "-" + thread;
    }

    private void update(String sql, String owner, String name) throws SQLException {
        try (Connection connection = pool.getConnection();
                PreparedStatement statement = connection.prepareStatement(sql)) {
            int index = 1;
            if (owner != null) {
                statement.setString(index++, owner);
            }
            statement.setLong(index++, System.currentTimeMillis());
            statement.setString(index, name);
            require(statement.executeUpdate() == 1);
        }
    }

    static void require(boolean expected) {
        if (!expected) {
            throw new IllegalStateException("The database did not answer as it should; the figures would mean nothing");
        }
    }

    @Override
    public void close() {
        taken.close();
        other.close();
        dibs.close();
        pool.close();
    }

    /** The same dialect without batches. */
    static Path oneByOne(String dialect) throws IOException {
        Path folder = Files.createTempDirectory("one-by-one");
        Files.writeString(folder.resolve("dialect.sql"), "-- fragment: base\n" + dialect + "\n");
        Files.writeString(folder.resolve("features.properties"), "locks_together = one_by_one\n");
        return folder;
    }
}
