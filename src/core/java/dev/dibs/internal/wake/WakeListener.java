package dev.dibs.internal.wake;

import dev.dibs.DatabaseFailureException;
import dev.dibs.internal.acquire.Wakeups;
import dev.dibs.internal.instance.Resources;
import dev.dibs.internal.retry.Backoff;
import dev.dibs.internal.retry.RetryPolicy;
import dev.dibs.internal.sql.call.Database;
import dev.dibs.internal.sql.call.Params;
import dev.dibs.internal.sql.errors.Secrets;
import dev.dibs.internal.sql.errors.SqlFailure;
import dev.dibs.internal.time.BackgroundLoop;
import java.lang.System.Logger.Level;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Listens for releases in other processes while a caller waits for one, and for wakes of runs while a worker is idle. It has a thread and a
 * connection of its own.
 *
 * <ol>
 * <li>A new waiter is recorded. If the listener already listens, a notification calls it.
 * <li>The listener marks the name, so that its releases notify, and wakes the waiter, which asks once more. So the waiter sees a
 * release before the mark itself, and is notified of a release after it.
 * <li>A name without waiters stays marked until a notification for it is of no use, or none has come for a second.
 * <li>If the connection is lost, or notifications do not arrive, no name counts as marked. All waiters are woken, and poll. The listener
 * tries again after 250 ms, doubled up to a minute. If the pool has no other connection, idle workers alone are no reason for 10 minutes.
 * Seen with PgBouncer 1.18: in session mode waiters are woken, in transaction mode they poll, unless the listener has a data source that
 * bypasses it.
 * </ol>
 */
public final class WakeListener implements Wakeups {

    private static final System.Logger LOG = System.getLogger("dev.dibs");

    private static final String POLLS = "Waiters poll, and are not woken by other processes: ";

    /** PostgreSQL has room for this many locks per connection by default. Waiters for further names poll. */
    private static final int LIMIT = 64;

    private static final int LIMIT_OF_RUNS = LIMIT / 2;

    private static final Duration TURN = Duration.ofSeconds(1);
    private static final Duration SOON = Duration.ofMillis(3);
    private static final Duration CALL_TIMEOUT = Duration.ofSeconds(3);
    private static final long IDLE = TimeUnit.SECONDS.toNanos(10);
    private static final long WARN_AGAIN = TimeUnit.MINUTES.toNanos(10);
    private static final long SPARE_AGAIN = TimeUnit.MINUTES.toNanos(10);
    private static final Duration CLOSE_PATIENCE = Duration.ofSeconds(1);

    private final Database callers;
    private final Database pool;
    private final Database direct;
    private final Duration longestPause;
    private final BackgroundLoop loop = new BackgroundLoop("dibs-listener", this::round);

    private final Map<Topic, Waiters> waiters = new ConcurrentHashMap<>();
    private final Set<Topic> sure = ConcurrentHashMap.newKeySet();
    /** Until when they are not marked, by the monotonic clock: they had too many notifications. */
    private final Map<Topic, Long> unwanted = new ConcurrentHashMap<>();

    private final AtomicBoolean called = new AtomicBoolean();
    private volatile boolean listening;
    private volatile boolean closed;
    private volatile @Nullable WakeSession session;

    /** Used by the listener's thread only. */
    private Backoff backoff = new Backoff(RetryPolicy.LISTENER);

    private long retryAt = System.nanoTime();
    private long spareAt = retryAt;
    private long warnedAt = System.nanoTime() - WARN_AGAIN;
    private boolean warned;

    /** All of them share one sleeper. */
    private record Waiters(int count, Sleeper sleeper) {}

    private WakeListener(Database callers, Database pool, Database direct, Duration longestPause) {
        this.longestPause = longestPause;
        this.callers = callers;
        this.pool = pool;
        this.direct = direct;
    }

    /**
     * Does nothing until a caller waits.
     *
     * @param direct gives the connection that listens; null if waiters are not woken
     * @param longestPause how long a waiter sleeps at most before it asks by itself
     * @param callers for threads that wait
     */
    public static Wakeups of(
            @Nullable DataSource direct, Duration longestPause, String dialect, Resources resources, Database callers) {
        if (direct == null) {
            return NONE;
        }
        if (!callers.statements().features().notifies()) {
            throw new DatabaseFailureException("wakeByNotify() is for PostgreSQL; in the dialect " + dialect
                    + " a release cannot notify waiters. Leave it out: waiters then poll");
        }
        PgNotifications.requireDriver();
        return new WakeListener(callers, resources.forBackground(), resources.forBackground(direct), longestPause);
    }

    @Override
    public void want(Topic topic, Sleeper sleeper) {
        waiters.merge(topic, new Waiters(1, sleeper), (all, one) -> new Waiters(all.count + 1, all.sleeper));
        loop.within(0);
        // The order matters: the listener's thread drops a topic before it checks for waiters.
        if (!sure.contains(topic) && !unwanted.containsKey(topic) && listening && called.compareAndSet(false, true)) {
            call();
        }
    }

    /** The listener may be waiting for a notification, so it gets one. If that fails, it checks within a second by itself. */
    private void call() {
        try {
            callers.call("notify_listener", Params.of("word", "look"), CALL_TIMEOUT);
        } catch (SqlFailure e) {
            LOG.log(Level.DEBUG, "The listener could not be called", e);
        }
    }

    @Override
    public boolean isSure(Topic topic) {
        return sure.contains(topic);
    }

    @Override
    public long pauseNanos() {
        return longestPause.toNanos();
    }

    @Override
    public void forget(Topic topic) {
        waiters.computeIfPresent(topic, (key, all) -> all.count == 1 ? null : new Waiters(all.count - 1, all.sleeper));
    }

    /** Listens while a caller waits. Returns when to try again after a failure. */
    private long round() {
        if (closed || waiters.isEmpty()) {
            return BackgroundLoop.NEVER;
        }
        long now = System.nanoTime();
        long wait = waiters.keySet().stream().allMatch(WakeListener::isRun)
                ? Math.max(retryAt - now, spareAt - now)
                : retryAt - now;
        if (wait > 0) {
            return wait;
        }
        try (WakeSession open = WakeSession.open(pool, direct)) {
            session = open;
            try {
                listen(open);
            } catch (SQLException | SqlFailure | RuntimeException e) {
                open.abort();
                throw e;
            }
        } catch (SqlFailure | SQLException | RuntimeException e) {
            if (session != null && !listening && e instanceof SqlFailure failure && failure.isWithoutConnection()) {
                // It could not send a test: this session has the last connection of the pool.
                spareAt = now + SPARE_AGAIN;
            }
            return poll(e instanceof SqlFailure ? e.getCause() : e);
        } finally {
            session = null;
            listening = false;
            beUnsure();
        }
        return 0;
    }

    private void listen(WakeSession open) throws SQLException, SqlFailure {
        open.sendWord();
        listening = true;
        long waitedAt = System.nanoTime();
        long wokenAt = waitedAt;
        Duration turn = TURN;
        while (!closed && System.nanoTime() - waitedAt < IDLE) {
            List<Topic> notified = open.await(turn);
            called.set(false);
            for (Topic topic : notified) {
                if (!wake(topic, false)) {
                    unmark(open, topic);
                }
                wokenAt = System.nanoTime();
            }
            if (open.isProven()) {
                works();
                if (System.nanoTime() - wokenAt > TURN.toNanos() || open.marks() >= LIMIT) {
                    unmarkIdle(open);
                }
                turn = markNew(open) ? TURN : SOON;
            }
            if (!waiters.isEmpty()) {
                waitedAt = System.nanoTime();
            }
        }
    }

    /** Returns whether its notifications are of use. If there are too many, it is not marked again for some time. */
    private boolean wake(Topic topic, boolean isNew) {
        Waiters here = waiters.get(topic);
        if (here == null) {
            return false;
        }
        boolean isUseful = here.sleeper.wake(isNew);
        if (!isUseful) {
            unwanted.put(topic, System.nanoTime() + TURN.toNanos());
        }
        return isUseful;
    }

    private void unmarkIdle(WakeSession open) throws SqlFailure {
        for (Topic topic : sure) {
            if (!waiters.containsKey(topic)) {
                unmark(open, topic);
            }
        }
    }

    /**
     * A caller that begins to wait in between either saw the name as marked, and {@link #markNew} finds it; or it calls the
     * listener.
     */
    private void unmark(WakeSession open, Topic topic) throws SqlFailure {
        sure.remove(topic);
        open.unmark(topic);
    }

    /** Returns false if some topics must be tried again in a moment. */
    private boolean markNew(WakeSession open) throws SqlFailure {
        unwanted.values().removeIf(until -> until - System.nanoTime() <= 0);
        boolean all = true;
        for (Topic topic : waiters.keySet()) {
            if (sure.contains(topic) || unwanted.containsKey(topic) || !hasRoom(topic, open)) {
                continue;
            }
            if (open.mark(topic)) {
                sure.add(topic);
                if (!wake(topic, true)) {
                    unmark(open, topic);
                }
            } else {
                all = false;
            }
        }
        return all;
    }

    private boolean hasRoom(Topic topic, WakeSession open) {
        return open.marks() < LIMIT
                && (!isRun(topic) || sure.stream().filter(WakeListener::isRun).count() < LIMIT_OF_RUNS);
    }

    private static boolean isRun(Topic topic) {
        return topic.kind().equals(Topic.RUN);
    }

    private void beUnsure() {
        List<Topic> topics = List.copyOf(sure);
        topics.forEach(sure::remove);
        for (Topic topic : topics) {
            boolean unused = wake(topic, false);
        }
    }

    private void works() {
        backoff = new Backoff(RetryPolicy.LISTENER);
        if (warned) {
            warned = false;
            LOG.log(Level.INFO, "Waiters are woken by notifications again");
        }
    }

    private long poll(Throwable reason) {
        if (closed) {
            return BackgroundLoop.NEVER;
        }
        long wait = backoff.nextNanos();
        retryAt = System.nanoTime() + wait;
        if (!warned && System.nanoTime() - warnedAt >= WARN_AGAIN) {
            warned = true;
            warnedAt = System.nanoTime();
            LOG.log(Level.WARNING, POLLS + Secrets.masked(reason) + ". It is tried again from time to time");
        } else {
            LOG.log(Level.DEBUG, POLLS, reason);
        }
        return wait;
    }

    @Override
    public void close() {
        closed = true;
        WakeSession open = session;
        if (open != null) {
            open.abort();
        }
        beUnsure();
        loop.stop(CLOSE_PATIENCE.toMillis());
    }
}
