package dev.dibs.bench;

import static dev.dibs.bench.BenchDatabase.require;

import com.zaxxer.hikari.HikariDataSource;
import dev.dibs.Dibs;
import dev.dibs.database.TestDatabase;
import dev.dibs.tokens.OneTimeTokens;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Base64;
import java.util.HexFormat;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;

/** Tokens and the bare statements that write the same columns of the same table, with a stock of live tokens to consume. */
final class TokenRows implements AutoCloseable {
    private static final String PURPOSE = "bench";
    private static final String SUBJECT = "user@example.com";
    private static final Duration TTL = Duration.ofHours(1);

    /** More than are consumed in a turn. */
    private static final int STOCK = 80_000;

    private static final String INSERT = "INSERT INTO dibs_token"
            + " (purpose, digest, id, subject, payload, issued_at, ends_at, replays, tries, window_until)"
            + " VALUES (?, ?, ?, ?, NULL, ?, ?, 0, 0, 0)";
    private static final String UPDATE = "UPDATE dibs_token SET ended = 'used', used_at = ?, owner = ?, attempt = ?"
            + " WHERE purpose = ? AND digest = ?";
    private static final String SELECT = "SELECT subject, payload FROM dibs_token WHERE purpose = ? AND digest = ?";
    /** Without an entry: the update returns nothing, and a SELECT by key follows. */
    private static final Map<String, String> RETURNING = Map.of(
            "postgresql",
            UPDATE + " RETURNING subject, payload",
            "postgresql-without-fsync",
            UPDATE + " RETURNING subject, payload",
            "h2",
            "SELECT subject, payload FROM FINAL TABLE (" + UPDATE + ")");

    private final HikariDataSource pool;
    private final Dibs dibs;
    private final OneTimeTokens tokens;
    private final String update;
    private final boolean returns;
    private final String tidy;
    private final Queue<String> stock = new ConcurrentLinkedQueue<>();
    private final AtomicInteger left = new AtomicInteger();

    TokenRows(TestDatabase database) throws Exception {
        pool = database.pool(config -> config.setMaximumPoolSize(BenchDatabase.POOL));
        dibs = Dibs.on(pool);
        dibs.admin().createSchema();
        tokens = dibs.tokens(PURPOSE).purgeEvery(Duration.ZERO);
        returns = RETURNING.containsKey(database.name());
        update = RETURNING.getOrDefault(database.name(), UPDATE);
        tidy = database.name().startsWith("postgresql") ? "VACUUM ANALYZE dibs_token" : "ANALYZE TABLE dibs_token";
        refill();
    }

    Operation issue() {
        return () -> require(!tokens.issue(SUBJECT, TTL).isEmpty());
    }

    Operation bareInsert() {
        return () -> {
            try (Connection connection = pool.getConnection();
                    PreparedStatement statement = connection.prepareStatement(INSERT)) {
                bind(statement, bytes(32));
                require(statement.executeUpdate() == 1);
            }
        };
    }

    Operation consume() {
        return () -> require(tokens.consume(take()).isOk());
    }

    /**
     * The columns that a consume changes, with the client's clock, and the subject and payload that come back. Nothing looks whether the
     * token is live.
     */
    Operation bareUpdate() {
        return () -> {
            String owner = HexFormat.of().formatHex(bytes(16));
            byte[] digest = digest(take());
            try (Connection connection = pool.getConnection()) {
                try (PreparedStatement statement = connection.prepareStatement(update)) {
                    statement.setLong(1, System.currentTimeMillis());
                    statement.setString(2, owner);
                    statement.setString(3, owner);
                    statement.setString(4, PURPOSE);
                    statement.setBytes(5, digest);
                    require(statement.execute() ? hasRow(statement) : statement.getUpdateCount() == 1);
                }
                if (!returns) {
                    select(connection, digest);
                }
            }
        };
    }

    private static void select(Connection connection, byte[] digest) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(SELECT)) {
            statement.setString(1, PURPOSE);
            statement.setBytes(2, digest);
            require(statement.execute() && hasRow(statement));
        }
    }

    private static boolean hasRow(PreparedStatement statement) throws SQLException {
        try (ResultSet row = statement.getResultSet()) {
            return row.next() && row.getString(1).equals(SUBJECT) && row.getString(2) == null;
        }
    }

    /** Adds enough live tokens for a turn, in one transaction. */
    void refill() throws Exception {
        if (left.get() > STOCK / 2) {
            return;
        }
        try (Connection connection = pool.getConnection();
                PreparedStatement statement = connection.prepareStatement(INSERT);
                Statement tidying = connection.createStatement()) {
            connection.setAutoCommit(false);
            while (left.get() < STOCK) {
                addBatch(statement);
            }
            connection.commit();
            connection.setAutoCommit(true);
            tidying.execute(tidy);
        }
    }

    private void addBatch(PreparedStatement statement) throws Exception {
        for (int i = 0; i < 1000; i++) {
            String text = Base64.getUrlEncoder().withoutPadding().encodeToString(bytes(32));
            bind(statement, digest(text));
            statement.addBatch();
            stock.add(text);
            left.incrementAndGet();
        }
        int[] unused = statement.executeBatch();
    }

    private static byte[] digest(String token) throws NoSuchAlgorithmException {
        return MessageDigest.getInstance("SHA-256").digest(token.getBytes(StandardCharsets.US_ASCII));
    }

    private static void bind(PreparedStatement statement, byte[] digest) throws SQLException {
        long now = System.currentTimeMillis();
        statement.setString(1, PURPOSE);
        statement.setBytes(2, digest);
        statement.setString(3, HexFormat.of().formatHex(bytes(16)));
        statement.setString(4, SUBJECT);
        statement.setLong(5, now);
        statement.setLong(6, now + TTL.toMillis());
    }

    private String take() {
        left.decrementAndGet();
        return stock.remove();
    }

    private static byte[] bytes(int length) {
        byte[] bytes = new byte[length];
        ThreadLocalRandom.current().nextBytes(bytes);
        return bytes;
    }

    @Override
    public void close() {
        dibs.close();
        pool.close();
    }
}
