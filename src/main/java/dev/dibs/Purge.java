package dev.dibs;

import dev.dibs.sql.SqlFailure;
import java.lang.System.Logger.Level;
import java.time.Duration;

/**
 * Deletes rows of locks that nobody has used for long.
 *
 * <p>The table grows only when a name is used for the first time, so that is what asks for a purge: an instance that does
 * nothing asks the database nothing. It goes on batch by batch until there is nothing left, and then rests.
 */
final class Purge {

    static final Duration SHORTEST_RETENTION = Duration.ofHours(1);
    static final Duration LONGEST_RETENTION = Duration.ofDays(3650);

    private static final System.Logger LOG = System.getLogger("dev.dibs");
    private static final long BATCH = 200;
    private static final Duration PAUSE = Duration.ofSeconds(1);
    private static final Duration REST = Duration.ofMinutes(10);
    private static final Duration TIMEOUT = Duration.ofSeconds(3);

    private final LockTable table;
    private final Duration retention;
    private final LocalClock clock;
    private volatile boolean wanted;
    private long notBefore;

    Purge(LockTable table, Duration retention, LocalClock clock) {
        this.table = table;
        this.retention = retention;
        this.clock = clock;
        this.notBefore = clock.nanos();
    }

    /** A name was used for the first time: any thread. */
    void want() {
        wanted = true;
    }

    /** The thread of the chores: purges if it is wanted and time, and returns after how many nanoseconds to come back. */
    long round() {
        long early = notBefore - clock.nanos();
        if (!wanted || early > 0) {
            return wanted ? early : Rounds.NEVER;
        }
        wanted = false;
        if (purgedSome()) {
            wanted = true;
            notBefore = clock.nanos() + PAUSE.toNanos();
            return PAUSE.toNanos();
        }
        notBefore = clock.nanos() + REST.toNanos();
        return Rounds.NEVER;
    }

    private boolean purgedSome() {
        try {
            return table.purge(retention, BATCH, TIMEOUT);
        } catch (SqlFailure e) {
            LOG.log(Level.DEBUG, "A purge failed; the next one will do", e);
            return false;
        }
    }
}
