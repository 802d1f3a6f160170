package dev.dibs.internal.sql.connect;

import dev.dibs.internal.sql.files.Statements;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Limits how long a connection waits for the locks of others, by two statements of the dialect. The driver's own limit may be one of whole
 * seconds, and a lease may be shorter.
 *
 * <p>A statement waits for a small part of the time that its answer may take. Its caller sends it again as long as it has the patience,
 * as after any collision. So a caller without a wait is told soon, and a renewal is repeated before its lease ends.
 */
final class LockWait {

    /** Nothing to restore. */
    static final long AS_IT_IS = -1;

    /** An acquire without a wait is sent three times at least. Its answer may take as long as the lease, ten seconds at most. */
    private static final int PART = 30;

    /** The calls of workers may take longer than that. They are sent a few times only, and a writer may have to wait for many others. */
    private static final Duration LONG = Duration.ofSeconds(10);

    private static final int PART_OF_LONG = 6;

    private final Statements statements;
    private final String find;
    /** By milliseconds. */
    private final Map<Long, String> limits = new ConcurrentHashMap<>();

    private LockWait(Statements statements) {
        this.statements = statements;
        this.find = text("find_lock_wait", Map.of());
    }

    /** Null for a dialect that needs no limit. */
    static @Nullable LockWait of(Statements statements) {
        return statements.features().limitsLockWait() ? new LockWait(statements) : null;
    }

    private String text(String name, Map<String, String> texts) {
        return statements.only(name, texts).text(name);
    }

    /** Returns the value to restore. */
    long limit(Connection connection, Duration timeout) throws SQLException {
        long wanted = Math.max(1, timeout.toMillis() / (timeout.compareTo(LONG) > 0 ? PART_OF_LONG : PART));
        long before;
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(find)) {
            row.next();
            before = row.getLong(1);
        }
        if (before <= wanted) {
            return AS_IT_IS;
        }
        set(connection, wanted);
        return before;
    }

    void restore(Connection connection, long before) throws SQLException {
        if (before != AS_IT_IS) {
            set(connection, before);
        }
    }

    private void set(Connection connection, long millis) throws SQLException {
        String limit = limits.computeIfAbsent(
                millis, wait -> text("limit_lock_wait", Map.of("lock_wait", String.valueOf(wait))));
        try (Statement statement = connection.createStatement()) {
            statement.execute(limit);
        }
    }
}
