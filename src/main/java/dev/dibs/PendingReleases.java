package dev.dibs;

import dev.dibs.sql.SqlFailure;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;

/**
 * Owner tokens that nobody believes in any more but that the database may still show as holders: their release met a locked
 * row or a dead connection, or their acquire was never answered.
 *
 * <p>They are released in the background, again and again for one lease length; after that, time has done it. A token whose
 * acquire was never answered (a ghost) stays on the list even when the row is not ours: the statement may still be on its
 * way. Since nobody renews it, it ends by time in any case.
 */
final class PendingReleases {

    private static final System.Logger LOG = System.getLogger("dev.dibs");
    private static final Duration TIMEOUT = Duration.ofSeconds(2);
    private static final long FIRST_WAIT = TimeUnit.MILLISECONDS.toNanos(5);
    private static final long LONGEST_WAIT = TimeUnit.SECONDS.toNanos(2);
    private static final int BATCH = 500;

    private final LockTable table;
    private final WaitingRooms waiting;
    private final LocalClock clock;
    private final Queue<Token> added = new ConcurrentLinkedQueue<>();

    /** Only the thread of the chores. */
    private List<Token> tokens = new ArrayList<>();

    private long wait = FIRST_WAIT;
    private long dueAt;

    PendingReleases(LockTable table, WaitingRooms waiting, LocalClock clock) {
        this.table = table;
        this.waiting = waiting;
        this.clock = clock;
    }

    private record Token(String name, String owner, long giveUpAt, boolean ghost) {}

    /** Any thread. */
    void add(String name, String owner, long length, boolean ghost) {
        added.add(new Token(name, owner, clock.nanos() + TimeUnit.MILLISECONDS.toNanos(length), ghost));
    }

    /** Tries once, if it is time, and returns after how many nanoseconds to come back. */
    long round() {
        takeAdded();
        long now = clock.nanos();
        tokens.removeIf(token -> token.giveUpAt() - now <= 0);
        if (tokens.isEmpty()) {
            return Rounds.NEVER;
        }
        if (dueAt - now > 0) {
            return dueAt - now;
        }
        tokens = stillPending();
        wait = Math.min(LONGEST_WAIT, wait * 2);
        dueAt = clock.nanos() + wait;
        return tokens.isEmpty() ? Rounds.NEVER : wait;
    }

    /** Tries all of them once, whether it is time or not; stops where the database does not answer. */
    void releaseAll() {
        takeAdded();
        tokens = stillPending();
    }

    private void takeAdded() {
        for (Token token = added.poll(); token != null; token = added.poll()) {
            tokens.add(token);
            wait = FIRST_WAIT;
            dueAt = clock.nanos();
        }
    }

    private List<Token> stillPending() {
        List<Token> pending = new ArrayList<>();
        for (int from = 0; from < tokens.size(); from += BATCH) {
            List<Token> batch = tokens.subList(from, Math.min(tokens.size(), from + BATCH));
            try {
                pending.addAll(release(batch));
            } catch (SqlFailure e) {
                LOG.log(Level.DEBUG, "A release in the background failed; trying again", e);
                pending.addAll(tokens.subList(from, tokens.size()));
                return pending;
            }
        }
        return pending;
    }

    private List<Token> release(List<Token> batch) throws SqlFailure {
        LeaseKeys keys = new LeaseKeys();
        batch.forEach(token -> keys.add(token.name(), token.owner()));
        table.release(keys, TIMEOUT);
        Map<String, LockRow> locked = table.find(keys, TIMEOUT);
        List<Token> pending = new ArrayList<>();
        for (Token token : batch) {
            if (locked.containsKey(token.owner()) || token.ghost()) {
                pending.add(token);
            } else {
                waiting.released(token.name());
            }
        }
        return pending;
    }
}
