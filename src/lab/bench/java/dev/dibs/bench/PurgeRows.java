package dev.dibs.bench;

import static dev.dibs.bench.BenchDatabase.require;

import com.zaxxer.hikari.HikariDataSource;
import dev.dibs.Dibs;
import dev.dibs.database.PostgresDatabase;
import dev.dibs.database.Sql;
import dev.dibs.database.TestDatabases;
import dev.dibs.tokens.OneTimeTokens;
import dev.dibs.tokens.TokenStatus;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Very many expired tokens, ways to purge them, and ways to consume others meanwhile. PostgreSQL. */
final class PurgeRows implements AutoCloseable {
    private static final int NODES = 4;
    private static final Duration RETENTION = Duration.ofMinutes(30);
    private static final Duration INTERVAL = Duration.ofMinutes(10);
    private static final Duration TTL = Duration.ofHours(1);
    private static final long LONG_POLL_MILLIS = 50;

    /** They expired one to three hours ago, in the order in which they were issued. */
    private static final String FILL = "INSERT INTO dibs_token"
            + " (purpose, digest, id, subject, issued_at, ends_at, replays, tries, window_until)"
            + " SELECT ?, sha256(n::text::bytea), md5(n::text), concat('user ', n % 100000), 0,"
            + " floor(extract(epoch FROM now()) * 1000)::bigint - 10800000 + n * 7200000 / ?, 0, 0, 0"
            + " FROM generate_series(1, ?::bigint) AS n";

    private static final String LONG_ENDED = " FROM dibs_token WHERE purpose = ?"
            + " AND ends_at <= floor(extract(epoch FROM now()) * 1000)::bigint - " + RETENTION.toMillis();

    private final HikariDataSource pool =
            TestDatabases.get(PostgresDatabase.class).pool(config -> config.setMaximumPoolSize(BenchDatabase.POOL));
    private final List<Dibs> nodes = new ArrayList<>();
    private String purpose = "";
    private int fills;

    PurgeRows() {
        for (int node = 0; node < NODES; node++) {
            nodes.add(Dibs.on(pool));
        }
        nodes.get(0).admin().createSchema();
    }

    /** Fills a table with this many long expired tokens and no others. Their purpose is new, so that nobody has purged it just now. */
    void fill(long rows) throws SQLException {
        purpose = "purge-" + ++fills;
        update("TRUNCATE dibs_token");
        require(Sql.on(pool).change(FILL, purpose, rows, rows) == rows);
        update("VACUUM ANALYZE dibs_token");
        update("CHECKPOINT");
    }

    String issue() {
        return tokens(0).issue("user@example.com", TTL);
    }

    void consume(String token) {
        require(tokens(0).consume(token).status() == TokenStatus.OK);
    }

    /** With the lock of which {@link #deleteUnderLock} wants to be the only holder. */
    void consumeUnderLock(String token) throws SQLException {
        try (Connection connection = pool.getConnection()) {
            connection.setAutoCommit(false);
            lock(connection, "pg_advisory_xact_lock_shared");
            require(tokens(0).consume(connection, token).status() == TokenStatus.OK);
            connection.commit();
            connection.setAutoCommit(true);
        }
    }

    /** Issuing a token starts it; it ends by itself. */
    long purgeInBackground() throws Exception {
        long before = count();
        String unused = nodes.get(0)
                .tokens(purpose)
                .keepFor(RETENTION)
                .purgeEvery(INTERVAL)
                .issue("starter", TTL);
        long left = before;
        while (left > 0) {
            Thread.sleep(LONG_POLL_MILLIS);
            left = oneLeft() ? left : 0;
        }
        return before - count();
    }

    /** All of them at once; returns the sum of their reported deletions. */
    long purgeOn(int howMany) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(howMany);
        try {
            List<Callable<Long>> purges = new ArrayList<>();
            for (int node = 0; node < howMany; node++) {
                OneTimeTokens tokens = tokens(node);
                purges.add(tokens::purge);
            }
            long purged = 0;
            for (Future<Long> purge : threads.invokeAll(purges)) {
                purged += purge.get();
            }
            return purged;
        } finally {
            threads.shutdownNow();
        }
    }

    long delete() throws SQLException {
        try (Connection connection = pool.getConnection()) {
            return delete(connection);
        }
    }

    long deleteUnderLock() throws SQLException {
        try (Connection connection = pool.getConnection()) {
            connection.setAutoCommit(false);
            lock(connection, "pg_advisory_xact_lock");
            long deleted = delete(connection);
            connection.commit();
            connection.setAutoCommit(true);
            return deleted;
        }
    }

    /** The number of long expired ones. */
    long count() throws SQLException {
        return Sql.on(pool).number("SELECT count(*)" + LONG_ENDED, purpose);
    }

    private OneTimeTokens tokens(int node) {
        return nodes.get(node).tokens(purpose).keepFor(RETENTION).purgeEvery(Duration.ZERO);
    }

    /** The last one is deleted last. */
    private boolean oneLeft() throws SQLException {
        return Sql.on(pool)
                .finds("SELECT ends_at" + LONG_ENDED + " ORDER BY purpose DESC, ends_at DESC LIMIT 1", purpose);
    }

    private long delete(Connection connection) throws SQLException {
        return Sql.on(connection).change("DELETE" + LONG_ENDED, purpose);
    }

    private static void lock(Connection connection, String function) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("SELECT " + function + "(4711)")) {
            require(statement.execute());
        }
    }

    private void update(String sql) throws SQLException {
        Sql.on(pool).run(sql);
    }

    @Override
    public void close() {
        nodes.forEach(Dibs::close);
        pool.close();
    }
}
