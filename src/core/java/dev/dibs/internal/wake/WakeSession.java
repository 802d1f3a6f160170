package dev.dibs.internal.wake;

import dev.dibs.internal.lease.LeaseName;
import dev.dibs.internal.sql.Database;
import dev.dibs.internal.sql.Params;
import dev.dibs.internal.sql.SqlFailure;
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
 * <p>It counts for nothing until a word that was sent over another connection has come through, and is asked for another one whenever it
 * has been quiet: behind a pooler that gives the connection of a session to others nothing comes through, and a network that
 * has forgotten the connection does not say so.
 *
 * <p>For one thread, but {@link #abort}.
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
    private final Map<String, LeaseName> marked = new HashMap<>();
    private @Nullable String word;
    private long wordSentAt;
    private long heardAt;
    private boolean proven;
    private volatile boolean aborted;

    /** What the database answered to a mark. */
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
     * @param pool where releases are sent too
     * @param direct where the connection is taken from
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
            // A session in a transaction is told nothing.
            connection.setAutoCommit(true);
        }
        connection.setNetworkTimeout(Runnable::run, (int) TIMEOUT.toMillis());
        pool.callOn(connection, "listen", Params.none());
        sendWord();
    }

    private void sendWord() throws SqlFailure {
        String sent = OwnerToken.next();
        wordSentAt = System.nanoTime();
        pool.call("notify_listener", Params.of("word", sent), TIMEOUT);
        word = sent;
    }

    /** With a pool that has run dry nobody here can ask for a lock either: that says nothing about this connection. */
    private void askForProof(long now) {
        try {
            sendWord();
        } catch (SqlFailure e) {
            heardAt = now;
            LOG.log(Level.DEBUG, "Whether notifications come through could not be tried", e);
        }
    }

    /** Whether notifications come through, by the last that is known. */
    boolean isProven() {
        return proven;
    }

    int marks() {
        return marked.size();
    }

    /**
     * Has the releases of a name told from now on; returns false if one is just under way, so that it has to be tried again.
     */
    boolean mark(LeaseName name) throws SqlFailure {
        Params params = Params.of("name", name.name()).with("kind", name.kind().word());
        Mark mark = pool.callOn(
                        connection,
                        "mark_waiting",
                        params,
                        row -> new Mark(row.getString("number"), row.getBoolean("marked")))
                .rows()
                .get(0);
        if (mark.marked()) {
            marked.put(mark.number(), name);
        }
        return mark.marked();
    }

    /** Has them told no more. */
    void unmark(LeaseName name) throws SqlFailure {
        for (Map.Entry<String, LeaseName> mark : List.copyOf(marked.entrySet())) {
            if (mark.getValue().equals(name)) {
                marked.remove(mark.getKey());
                Params params = Params.none().with("number", Long.parseLong(mark.getKey()));
                pool.callOn(connection, "unmark_waiting", params);
            }
        }
    }

    /**
     * Waits for notifications, and returns those of the marked names that were released.
     *
     * @throws SQLException if the connection is lost, or a word did not come through
     */
    List<LeaseName> await(Duration atMost) throws SQLException {
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
                    + " s; a pooler between here and the database may give the session to others");
        }
        if (word == null && now - heardAt > QUIET) {
            askForProof(now);
        }
        return texts.stream().filter(marked::containsKey).map(marked::get).toList();
    }

    /** Ends it at once, whatever it waits for. Any thread. */
    void abort() {
        aborted = true;
        quietly(notifications::abort);
    }

    /** Gives the connection back as it came. If it is dead its pool learns it by the failure of a statement. */
    @Override
    public void close() {
        for (LeaseName name : List.copyOf(marked.values())) {
            if (!aborted) {
                quietly(() -> unmark(name));
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
