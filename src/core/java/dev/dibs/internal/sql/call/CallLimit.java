package dev.dibs.internal.sql.call;

import dev.dibs.internal.sql.connect.ConnectionCleanup;
import dev.dibs.internal.time.Mutex;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Ends one statement in the database: after a time, or by a cancel. Safe for any thread. */
public final class CallLimit {

    /** The answer of PostgreSQL and H2 to a cancel. */
    private static final String CANCELLED = "57014";

    private final Duration time;
    private final Mutex lock = new Mutex();
    private @Nullable Statement running;
    private boolean cancelled;

    /** A limit in whole seconds. */
    public CallLimit(Duration time) {
        this.time = time;
    }

    /** How long the statement may take. */
    public Duration time() {
        return time;
    }

    /**
     * Ends the statement, now or when it is about to be sent. Some drivers open a connection for that. If it fails, the statement ends at its
     * time limit.
     */
    public void cancel() {
        try (Mutex.Held unused = lock.hold()) {
            cancelled = true;
            if (running != null) {
                ConnectionCleanup.quietly("cancel a statement", running::cancel);
            }
        }
    }

    /** The statement is about to be sent. */
    void begin(Statement statement) throws SQLException {
        try (Mutex.Held unused = lock.hold()) {
            if (cancelled) {
                throw new SQLException("it was cancelled before it was sent", CANCELLED);
            }
            statement.setQueryTimeout((int) time.toSeconds());
            running = statement;
        }
    }

    /** The answer is there. A cancel that is on its way must not strike the next statement of the connection. */
    void end() {
        try (Mutex.Held unused = lock.hold()) {
            running = null;
        }
    }
}
