package dev.dibs.internal.lease;

import dev.dibs.internal.sql.call.Database;
import dev.dibs.internal.sql.errors.SqlFailure;
import dev.dibs.internal.time.BackgroundLoop;
import dev.dibs.internal.time.LocalClock;
import dev.dibs.internal.values.OwnerToken;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Deletes idle rows of leases, and adds those that are missed.
 *
 * <p>A table grows only when a name is used for the first time, so that requests a purge: an instance that does nothing asks the database
 * nothing. The purge goes on batch by batch until no row is left, and then rests.
 */
public final class Purge {

    public static final Duration SHORTEST_RETENTION = Duration.ofHours(1);
    public static final Duration LONGEST_RETENTION = Duration.ofDays(3650);

    private static final System.Logger LOG = System.getLogger("dev.dibs");
    private static final long BATCH = 200;
    /** It pauses between two batches for four times as long as a batch took. A purge must keep up even if strangers choose the names. */
    private static final int PAUSES = 4;

    private static final long SHORTEST_PAUSE = Duration.ofMillis(50).toNanos();
    private static final long LONGEST_PAUSE = Duration.ofSeconds(1).toNanos();
    private static final Duration REST = Duration.ofMinutes(10);
    private static final Duration TIMEOUT = Duration.ofSeconds(3);

    private final Database database;
    private final Duration retention;
    private final LocalClock clock;
    private final Set<LeaseKind> wanted = ConcurrentHashMap.newKeySet();
    /** Locks of which it may have deleted too much: their rows do not show that transactions use them. */
    final Set<String> missed = ConcurrentHashMap.newKeySet();

    /** Those whose last purge failed: since when, or when the last warning of it was. */
    private final Map<LeaseKind, Long> failed = new HashMap<>();

    private long notBefore;
    private long quietUntil;

    public Purge(Database database, Duration retention, LocalClock clock) {
        this.database = database;
        this.retention = retention;
        this.clock = clock;
        this.notBefore = clock.nanos();
        this.quietUntil = notBefore;
    }

    /** A row was added. For any thread. Returns whether that is news. */
    boolean want(LeaseKind kind) {
        return wanted.add(kind);
    }

    /** For the maintenance thread: purges if requested and due, and returns after how many nanoseconds to come back. */
    long round() {
        addMissed();
        long early = notBefore - clock.nanos();
        if (wanted.isEmpty() || early > 0) {
            return wanted.isEmpty() ? BackgroundLoop.NEVER : early;
        }
        long start = clock.nanos();
        List<LeaseKind> kinds = List.copyOf(wanted);
        kinds.forEach(wanted::remove);
        kinds.stream().filter(this::purgedSome).forEach(wanted::add);
        if (!wanted.isEmpty()) {
            long now = clock.nanos();
            long pause = Math.min(LONGEST_PAUSE, Math.max(SHORTEST_PAUSE, PAUSES * (now - start)));
            notBefore = now + pause;
            return pause;
        }
        notBefore = clock.nanos() + REST.toNanos();
        return BackgroundLoop.NEVER;
    }

    /** All in one statement. After an error the next guards ask for them again. */
    private void addMissed() {
        List<LeaseKeys.Key> keys = missed.stream()
                .map(name -> new LeaseKeys.Key(name, OwnerToken.next()))
                .toList();
        if (keys.isEmpty()) {
            return;
        }
        keys.forEach(key -> missed.remove(key.name()));
        try {
            LeaseKind.makeLocks(database, new LeaseKeys(keys), TIMEOUT);
        } catch (SqlFailure e) {
            boolean tells = e.outcome() == SqlFailure.Outcome.REFUSED && clock.nanos() - quietUntil >= 0;
            if (tells) {
                quietUntil = clock.nanos() + REST.toNanos();
            }
            LOG.log(
                    tells ? Level.WARNING : Level.DEBUG,
                    "Rows of locks for transactions could not be added: their tryGuard answers false, as if they were busy",
                    e);
        }
    }

    /** After a failure it rests, and goes on when a name is added. One failure may be an outage, and is not told. */
    private boolean purgedSome(LeaseKind kind) {
        try {
            boolean some = kind.purge(database, retention, BATCH, TIMEOUT);
            failed.remove(kind);
            return some;
        } catch (SqlFailure e) {
            long now = clock.nanos();
            if (now - failed.computeIfAbsent(kind, first -> now) < REST.toNanos()) {
                LOG.log(Level.DEBUG, "A purge failed; the next one will do", e);
                return false;
            }
            failed.put(kind, now);
            LOG.log(
                    Level.WARNING,
                    "For " + REST.toMinutes()
                            + " minutes or more, rows of locks that are long over could not be deleted:"
                            + " their table grows until the database accepts that again",
                    e);
            return false;
        }
    }
}
