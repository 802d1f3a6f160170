package dev.dibs.internal.wake;

import dev.dibs.internal.acquire.Wakeups.Topic;
import dev.dibs.internal.sql.call.Database;
import dev.dibs.internal.sql.call.Params;
import dev.dibs.internal.sql.errors.SqlFailure;
import dev.dibs.internal.values.OwnerToken;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One connection that listens, from its first to its last statement: those of {@code wake.sql}.
 *
 * <p>It is not trusted until a test notification from another connection has arrived. After each quiet time it must receive another
 * one. The reasons: behind a pooler that shares sessions no notification arrives, and a network that has dropped the connection
 * does not report it.
 *
 * <p>For one thread, except {@link #abort}.
 */
final class WakeSession implements AutoCloseable {

    private static final System.Logger LOG = System.getLogger("dev.dibs");
    private static final Duration TIMEOUT = Duration.ofSeconds(3);
    private static final long WORD_TAKES = TimeUnit.SECONDS.toNanos(3);
    private static final long QUIET = TimeUnit.SECONDS.toNanos(5);

    private final Database pool;
    private final Connection connection;
    private final boolean autoCommit;
    private final int networkTimeout;
    private final PgNotifications notifications;
    private final Map<String, Topic> marked = new HashMap<>();
    private @Nullable String word;
    private long wordSentAt;
    private long heardAt;
    private boolean proven;
    private volatile boolean aborted;

    /** The database's answer to a mark. */
    private record Mark(String number, boolean marked) {}

    private WakeSession(Database pool, Connection connection) throws SQLException {
        this.pool = pool;
        this.connection = connection;
        this.notifications = PgNotifications.of(connection);
        this.autoCommit = connection.getAutoCommit();
        this.networkTimeout = connection.getNetworkTimeout();
    }

    /**
     * Begins to listen.
     *
     * @param pool the connections that also send the releases
     * @param direct the source of the connection that listens
     */
    static WakeSession open(Database pool, Database direct) throws SqlFailure, SQLException {
        Connection connection = direct.borrow("listen");
        WakeSession session;
        try {
            session = new WakeSession(pool, connection);
        } catch (SQLException | RuntimeException e) {
            connection.close();
            throw e;
        }
        try {
            session.listen();
            return session;
        } catch (SQLException | SqlFailure | RuntimeException e) {
            session.abort();
            session.close();
            throw e;
        }
    }

    private void listen() throws SqlFailure, SQLException {
        if (!autoCommit) {
            // PostgreSQL delivers no notification to a session within a transaction.
            connection.setAutoCommit(true);
        }
        connection.setNetworkTimeout(Runnable::run, (int) TIMEOUT.toMillis());
        pool.callOn(connection, "listen", Params.none());
    }

    /** Begins a test whether notifications arrive. It is the first step, and needs another connection. */
    void sendWord() throws SqlFailure {
        String sent = OwnerToken.next();
        wordSentAt = System.nanoTime();
        pool.call("notify_listener", Params.of("word", sent), TIMEOUT);
        word = sent;
    }

    /** If the pool has no connection, callers here cannot ask for a lock either. That says nothing about this connection. */
    private void askForProof(long now) {
        try {
            sendWord();
        } catch (SqlFailure e) {
            heardAt = now;
            LOG.log(Level.DEBUG, "Whether notifications come through could not be tried", e);
        }
    }

    /** Whether the last test notification arrived. */
    boolean isProven() {
        return proven;
    }

    int marks() {
        return marked.size();
    }

    /**
     * From now on releases of this name, or wakes of this run, notify. Returns false if one is under way, so that the call must be repeated.
     */
    boolean mark(Topic topic) throws SqlFailure {
        Params params = Params.of("name", topic.name()).with("kind", topic.kind());
        Mark mark = pool.callOn(
                        connection,
                        "mark_waiting",
                        params,
                        row -> new Mark(row.getString("number"), row.getBoolean("marked")))
                .rows()
                .get(0);
        if (mark.marked()) {
            marked.put(mark.number(), topic);
        }
        return mark.marked();
    }

    /** From now on they do not notify. */
    void unmark(Topic topic) throws SqlFailure {
        for (Map.Entry<String, Topic> mark : List.copyOf(marked.entrySet())) {
            if (mark.getValue().equals(topic)) {
                marked.remove(mark.getKey());
                Params params = Params.none().with("number", Long.parseLong(mark.getKey()));
                pool.callOn(connection, "unmark_waiting", params);
            }
        }
    }

    /**
     * Waits for notifications, and returns what they are about, as far as it is marked.
     *
     * @throws SQLException if the connection is lost, or a test notification did not arrive
     */
    List<Topic> await(Duration atMost) throws SQLException {
        List<String> texts = notifications.await((int) atMost.toMillis());
        long now = System.nanoTime();
        if (!texts.isEmpty()) {
            heardAt = now;
        }
        if (word != null && texts.contains(word)) {
            proven = true;
            word = null;
        }
        if (word != null && now - wordSentAt > WORD_TAKES) {
            throw new SQLException("a notification that was sent through the pool did not come through within "
                    + TimeUnit.NANOSECONDS.toSeconds(WORD_TAKES)
                    + " s; a pooler before the database may share the session with others");
        }
        if (word == null && now - heardAt > QUIET) {
            askForProof(now);
        }
        return texts.stream().filter(marked::containsKey).map(marked::get).toList();
    }

    /** Ends the session at once, even while it waits. Safe for use by any thread. */
    void abort() {
        aborted = true;
        quietly(notifications::abort);
    }

    /** Restores the connection and gives it back. If it is dead, the pool learns that from a failed statement. */
    @Override
    public void close() {
        for (Topic topic : List.copyOf(marked.values())) {
            if (!aborted) {
                quietly(() -> unmark(topic));
            }
        }
        quietly(() -> pool.callOn(connection, "unlisten", Params.none()));
        quietly(() -> connection.setNetworkTimeout(Runnable::run, networkTimeout));
        quietly(() -> connection.setAutoCommit(autoCommit));
        quietly(connection::close);
    }

    private interface Step {
        void run() throws SQLException, SqlFailure;
    }

    private static void quietly(Step step) {
        try {
            step.run();
        } catch (SQLException | SqlFailure | RuntimeException e) {
            LOG.log(Level.DEBUG, "The connection that listened ends", e);
        }
    }
}
