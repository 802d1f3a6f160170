package dev.dibs.internal.lease;

import dev.dibs.internal.retry.Backoff;
import dev.dibs.internal.retry.RetryPolicy;
import dev.dibs.internal.sql.call.Database;
import dev.dibs.internal.sql.errors.SqlFailure;
import dev.dibs.internal.time.BackgroundLoop;
import dev.dibs.internal.time.LocalClock;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;

/**
 * Owner tokens that nobody relies on any more, but that may still hold rows in the database. Their release met a locked row or a dead
 * connection, or their acquire was never answered.
 *
 * <p>They are released in the background, again and again for as long as the row may be held: one lease length, or longer if the acquire
 * asked to hold it. A token whose acquire was never answered stays on the list for one lease length even if the row is not ours: the
 * statement may still be on its way. Nobody renews it, so it expires in any case.
 */
public final class PendingReleases {

    private static final System.Logger LOG = System.getLogger("dev.dibs");
    private static final Duration TIMEOUT = Duration.ofSeconds(2);
    private static final int BATCH = 500;

    private final Database database;
    private final Waiters waiting;
    private final LocalClock clock;
    private final Queue<Token> added = new ConcurrentLinkedQueue<>();

    /** Only the maintenance thread uses it. */
    private List<Token> tokens = new ArrayList<>();

    private Backoff backoff = new Backoff(RetryPolicy.PENDING_RELEASE);
    private long dueAt;

    public PendingReleases(Database database, Waiters waiting, LocalClock clock) {
        this.database = database;
        this.waiting = waiting;
        this.clock = clock;
    }

    private record Token(LeaseKind kind, LeaseKeys.Key key, long giveUpAt, long hold, long onItsWayUntil) {

        boolean batchesWith(Token other) {
            return kind == other.kind && hold == other.hold;
        }
    }

    /**
     * For any thread. All times are in milliseconds.
     *
     * @param heldFor for how long the row may be held; then the release is given up
     * @param hold how long the row stays busy from its acquire on, released or not
     * @param onItsWay for how long the acquire may still reach the database, so that "not ours" means "not yet"
     */
    void add(LeaseKind kind, LeaseKeys.Key key, long heldFor, long hold, long onItsWay) {
        long now = clock.nanos();
        added.add(new Token(
                kind,
                key,
                now + TimeUnit.MILLISECONDS.toNanos(heldFor),
                hold,
                now + TimeUnit.MILLISECONDS.toNanos(onItsWay)));
    }

    /** Tries once, if it is time, and returns after how many nanoseconds to come back. */
    long round() {
        takeAdded();
        long now = clock.nanos();
        tokens.removeIf(token -> token.giveUpAt() - now <= 0);
        if (tokens.isEmpty()) {
            return BackgroundLoop.NEVER;
        }
        if (dueAt - now > 0) {
            return dueAt - now;
        }
        tokens = stillPending();
        long wait = backoff.nextNanos();
        dueAt = clock.nanos() + wait;
        return tokens.isEmpty() ? BackgroundLoop.NEVER : wait;
    }

    /** Tries all of them once, whether it is time or not; stops if the database does not answer. */
    void releaseAll() {
        takeAdded();
        tokens = stillPending();
    }

    private void takeAdded() {
        for (Token token = added.poll(); token != null; token = added.poll()) {
            tokens.add(token);
            backoff = new Backoff(RetryPolicy.PENDING_RELEASE);
            dueAt = clock.nanos();
        }
    }

    private List<Token> stillPending() {
        List<Token> left = new ArrayList<>(tokens);
        List<Token> pending = new ArrayList<>();
        while (!left.isEmpty()) {
            Token first = left.get(0);
            List<Token> batch =
                    left.stream().filter(first::batchesWith).limit(BATCH).toList();
            try {
                pending.addAll(release(first.kind(), first.hold(), batch));
            } catch (SqlFailure e) {
                LOG.log(Level.DEBUG, "A release in the background failed; trying again", e);
                if (e.outcome() != SqlFailure.Outcome.REFUSED) {
                    pending.addAll(left);
                    return pending;
                }
                // The table of this kind may be missing; the others exist.
                pending.addAll(batch);
            }
            left.removeAll(Set.copyOf(batch));
        }
        return pending;
    }

    private List<Token> release(LeaseKind kind, long hold, List<Token> batch) throws SqlFailure {
        LeaseKeys keys = new LeaseKeys(batch.stream().map(Token::key).toList());
        kind.release(database, keys, hold, TIMEOUT);
        Map<String, LeaseRow> locked = kind.find(database, keys, TIMEOUT);
        List<Token> pending = new ArrayList<>();
        long now = clock.nanos();
        for (Token token : batch) {
            if (locked.containsKey(token.key().owner()) || token.onItsWayUntil() - now > 0) {
                pending.add(token);
            } else {
                waiting.released(new LeaseName(kind, token.key().name()));
            }
        }
        return pending;
    }
}
