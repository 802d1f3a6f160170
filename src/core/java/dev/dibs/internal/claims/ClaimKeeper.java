package dev.dibs.internal.claims;

import dev.dibs.internal.claims.store.ClaimStore;
import dev.dibs.internal.instance.Context;
import dev.dibs.internal.retry.Retry;
import dev.dibs.internal.retry.RetryPolicy;
import dev.dibs.internal.sql.call.Database;
import dev.dibs.internal.sql.errors.SqlFailure;
import dev.dibs.internal.time.BackgroundLoop;
import dev.dibs.internal.time.Deadline;
import dev.dibs.internal.time.InFlight;
import dev.dibs.internal.time.LocalClock;
import dev.dibs.internal.time.Mutex;
import dev.dibs.internal.time.Renewals;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * The open claims of one instance and what they need: renewal, the watch over their deadlines, and release of what could not be released at
 * once.
 */
final class ClaimKeeper {

    private static final System.Logger LOG = System.getLogger("dev.dibs");
    private static final Duration TIMEOUT = Duration.ofSeconds(5);
    private static final long PAUSE = RetryPolicy.CLAIM_PAUSE.toNanos();
    private static final long OVERDUE_PAUSE = RetryPolicy.CLAIM_OVERDUE.first().toNanos();
    private static final long LONGEST_PAUSE =
            RetryPolicy.CLAIM_OVERDUE.longest().toNanos();

    /** A claim that the keeper renews and watches. */
    interface Kept extends Renewals.Expiring {

        /** Whether it has a row that is still ours. */
        boolean holdsRows();

        /** Whether it ends by time. */
        boolean hasLease();

        /** When to renew it, as monotonic time. */
        long renewAt();

        /** Sets when to renew it, as monotonic time. */
        void renewAt(long nanos);

        /**
         * Renews it now.
         *
         * @param background for the thread that renews
         */
        void renew(Database background, Duration timeout) throws SqlFailure;

        void close();
    }

    /** A token that may have marked rows that nobody uses. Only the heartbeat's thread changes it. */
    private static final class Abandoned {
        private final ClaimStore<?> store;
        private final String table;
        private final String token;
        /** Whether nobody gets its rows before they are released: they do not end by time, and no caller knows the token. */
        private final boolean isLasting;
        /** Until then a statement with it may be on its way. */
        private long until;

        private long dueAt;
        private long pause = PAUSE;
        private boolean isOver;
        /** Whether that time was over once: a warning has named it. */
        private boolean isLate;

        Abandoned(ClaimStore<?> store, String table, String token, boolean isKnown, long now) {
            this.store = store;
            this.table = table;
            this.token = token;
            this.isLasting = !isKnown && !store.hasLease();
            this.until = now + RetryPolicy.CLAIM_ABANDONED.toNanos();
            this.dueAt = now;
        }
    }

    private final Database background;
    private final LocalClock clock;
    private final Set<Kept> open = ConcurrentHashMap.newKeySet();
    /** Those of them that end by time. */
    private final Set<Kept> timed = ConcurrentHashMap.newKeySet();

    private final Queue<Abandoned> abandoned = new ConcurrentLinkedQueue<>();
    private final Mutex releasing = new Mutex();
    private final InFlight inFlight = new InFlight();
    private final Renewals renewals = new Renewals("dibs-claims", "dibs-claim-deadlines", timed, this::round);
    /** Whether the last renewal failed: an outage is worth one warning. Only the heartbeat's thread uses it. */
    private boolean failing;

    ClaimKeeper(Context context) {
        this.background = context.background().get();
        this.clock = context.clock();
    }

    /** Until it holds no row any more: then it tells by {@link #forget}. */
    void keep(Kept claim) {
        if (!claim.holdsRows()) {
            return;
        }
        open.add(claim);
        if (claim.hasLease()) {
            // The watch may find it expired at once, and have it forgotten.
            timed.add(claim);
            renewals.within(claim.renewAt() - clock.nanos(), claim.expire());
        }
    }

    void forget(Kept claim) {
        open.remove(claim);
        timed.remove(claim);
    }

    /** A claim is closed, and its rows are going to be released: {@link #close} waits for {@link #released}. */
    void releasing(Kept claim) {
        inFlight.begin();
        forget(claim);
    }

    void released() {
        inFlight.end();
    }

    /**
     * Releases the rows of a token again and again, as long as a statement without an answer may be on its way. Rows whose claim does not
     * end by time would be nobody's for ever, so these are released until none is left.
     *
     * @param isKnown whether a caller knows the token: another process may claim with it, so it is not released for longer
     */
    void abandon(ClaimStore<?> store, String table, String token, boolean isKnown) {
        abandoned.add(new Abandoned(store, table, token, isKnown, clock.nanos()));
        renewals.renewWithin(PAUSE);
    }

    /**
     * Before a claim with the caller's own token: if the token was abandoned, its rows are wanted again, and must not be released
     * meanwhile. Waits for a release that is running.
     */
    void cancelAbandon(String token) {
        try (Mutex.Held unused = releasing.hold()) {
            abandoned.removeIf(one -> one.token.equals(token));
        }
    }

    private long round() {
        long next = renewDue();
        for (Abandoned one : abandoned) {
            if (one.dueAt - clock.nanos() <= 0) {
                releaseAgain(one);
                // That may have taken seconds, and there may be many.
                next = renewDue();
            }
        }
        abandoned.removeIf(one -> one.isOver);
        for (Abandoned one : abandoned) {
            next = Math.min(next, one.dueAt - clock.nanos());
        }
        return next;
    }

    /** Returns after how many nanoseconds the next one is due. */
    private long renewDue() {
        long next = BackgroundLoop.NEVER;
        for (Kept claim : timed) {
            if (claim.renewAt() - clock.nanos() <= 0) {
                renew(claim);
            }
            next = Math.min(next, claim.renewAt() - clock.nanos());
        }
        return next;
    }

    /** Whatever goes wrong with one claim, the others are renewed in the same round. */
    private void renew(Kept claim) {
        try {
            claim.renew(background, TIMEOUT);
            failing = false;
        } catch (SqlFailure e) {
            LOG.log(
                    failing ? Level.DEBUG : Level.WARNING,
                    "The renewal of " + claim + " failed and is retried; so are those of other claims: "
                            + e.getMessage());
            failing = true;
            claim.renewAt(soon());
        } catch (RuntimeException | Error e) {
            claim.renewAt(soon());
            LOG.log(Level.ERROR, "The renewal of " + claim + " failed and is repeated", e);
        }
    }

    /** When to try again after a failure just now. */
    long soon() {
        return clock.nanos() + PAUSE;
    }

    private void releaseAgain(Abandoned one) {
        boolean isLast = clock.nanos() - one.until >= 0;
        try (Mutex.Held unused = releasing.hold()) {
            one.isOver = !abandoned.contains(one);
            if (!one.isOver) {
                background.run(one.store.releaseToken(one.token), TIMEOUT, Retry::rest);
                one.isOver = isLast && isNoneLeft(one);
            }
            one.pause = isLast ? OVERDUE_PAUSE : PAUSE;
        } catch (SqlFailure e) {
            LOG.log(Level.DEBUG, "A release is tried again", e);
            one.isOver = isLast && !one.isLasting;
            if (isLast) {
                // The claim may wait at the database as this statement did.
                one.until = clock.nanos() + RetryPolicy.CLAIM_ABANDONED.toNanos();
                one.pause = one.isLate ? Math.min(2 * one.pause, LONGEST_PAUSE) : OVERDUE_PAUSE;
            }
        }
        one.dueAt = clock.nanos() + one.pause;
        if (isLast && !one.isOver && !one.isLate) {
            one.isLate = true;
            warn(one, "This process goes on trying; when it has ended, release(token) does it");
        }
    }

    /** A locked row is skipped. */
    private boolean isNoneLeft(Abandoned one) throws SqlFailure {
        return !one.isLasting
                || background
                        .run(one.store.find(one.token), TIMEOUT, Retry::rest)
                        .isEmpty();
    }

    private static void warn(Abandoned one, String advice) {
        LOG.log(
                Level.WARNING,
                "Rows of " + one.table + " with the token " + one.token + " are not released yet, since the database is"
                        + " away or a transaction has locked them. Nobody gets them before that. " + advice);
    }

    /** Releases everything and ends the threads. */
    void close(Deadline deadline) {
        inFlight.awaitNone(() -> closeOpen(deadline), deadline);
        renewals.stop(deadline, deadline);
        for (Abandoned one : abandoned) {
            if (one.isLate) {
                warn(one, "This process ends: call release(token)");
            }
        }
    }

    /** Returns whether none is left. */
    private boolean closeOpen(Deadline deadline) {
        for (Kept claim : open) {
            if (!deadline.isOver()) {
                claim.close();
            }
        }
        return open.isEmpty();
    }
}
