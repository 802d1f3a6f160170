package dev.dibs;

import dev.dibs.sql.SqlFailure;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Acquires locks: asks, waits its turn, asks again.
 *
 * <ol>
 *   <li>Every statement that is sent carries a fresh owner token.
 *   <li>An answer names the winner. Ours: the lease counts from before the statement was sent. If that is over by now, the
 *       answer came too late; it is released and not returned.
 *   <li>No answer (the connection died): the token is looked up on another connection. Found: the lease is ours. Not found,
 *       or not to be looked up: the token is abandoned for good, since the statement may still be on its way.
 *   <li>The database rolled the statement back or someone else made the row first: asked again, after a pause.
 *   <li>Busy: the next one who asks looks first, since reading is cheaper. The caller sleeps until the holder's time is over or a pause has passed, whichever is sooner.
 * </ol>
 */
final class Acquirer {

    private static final int LOOK_UPS = 5;

    private final LockTable table;
    private final LeaseKeeper keeper;
    private final WaitingRooms waiting;
    private final Errors errors;
    private final Events events;
    private final Chores chores;
    private final LocalClock clock;
    private final String holder;
    private final BusyNames busyNames;

    Acquirer(
            LockTable table,
            LeaseKeeper keeper,
            WaitingRooms waiting,
            Errors errors,
            Events events,
            Chores chores,
            String holder) {
        this.table = table;
        this.keeper = keeper;
        this.waiting = waiting;
        this.errors = errors;
        this.events = events;
        this.chores = chores;
        this.clock = keeper.clock();
        this.holder = holder;
        this.busyNames = new BusyNames(clock);
    }

    /** Acquires, or says who has it after the wait. */
    Attempt acquire(String name, Duration lease, Duration wait) {
        Patience patience = new Patience(clock, wait, lease);
        try {
            Attempt attempt = ask(name, lease.toMillis(), patience);
            if (attempt.lease() == null && !patience.isOver()) {
                attempt = queue(name, lease.toMillis(), patience, attempt);
            }
            if (attempt.lease() == null) {
                events.busy(name, attempt.holder());
            }
            return attempt;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new NotAcquiredException(name, null, "'" + name + "' was not acquired: the wait was interrupted");
        }
    }

    private Attempt queue(String name, long lease, Patience patience, Attempt busy) throws InterruptedException {
        try (WaitingRooms.Place place = waiting.enter(name)) {
            Attempt attempt = busy;
            if (!place.awaitFront(patience.remainingNanos())) {
                return attempt;
            }
            Backoff backoff = new Backoff();
            while (attempt.lease() == null && !patience.isOver()) {
                place.awaitRelease(Math.min(patience.remainingNanos(), pause(attempt, backoff)));
                attempt = ask(name, lease, patience);
            }
            return attempt;
        }
    }

    /** A pause, or less if the holder's time is over before. */
    private static long pause(Attempt busy, Backoff backoff) {
        long nanos = backoff.nextNanos();
        return busy.holder() == null ? nanos : Math.min(nanos, TimeUnit.MILLISECONDS.toNanos(busy.heldForMillis() + 1));
    }

    /** Asks until the database gives a clear answer. */
    private Attempt ask(String name, long lease, Patience patience) throws InterruptedException {
        Backoff backoff = new Backoff();
        while (true) {
            keeper.requireOpen();
            Attempt held = lookFirst(name);
            if (held != null) {
                return held;
            }
            String owner = OwnerToken.next();
            Term term = Term.from(clock, lease);
            SqlFailure failure = null;
            try {
                Attempt attempt = read(owner, term, table.acquire(name, owner, holder, lease));
                if (attempt != null) {
                    return attempt;
                }
            } catch (SqlFailure e) {
                failure = e;
                Attempt adopted = afterFailure(e, name, owner, term);
                if (adopted != null) {
                    return adopted;
                }
            }
            requireRetry(name, failure, patience);
            TimeUnit.NANOSECONDS.sleep(backoff.nextNanos());
        }
    }

    /** Returns null if it is not known to be busy, or not busy any more. */
    private @Nullable Attempt lookFirst(String name) {
        if (!busyNames.isLikely(name)) {
            return null;
        }
        try {
            LockRow row = table.look(name);
            if (row != null && row.isHeld()) {
                return busy(row);
            }
        } catch (SqlFailure e) {
            errors.log("A look at '" + name + "' failed; the acquire will tell", e);
        }
        busyNames.remove(name);
        return null;
    }

    private Attempt busy(LockRow row) {
        if (row.isHeld()) {
            busyNames.add(row.name(), row.heldUntil() - row.readAt());
        }
        return Attempt.busy(row);
    }

    /** Returns null if the answer is none: two were first at the same instant, or ours came too late. */
    private @Nullable Attempt read(String owner, Term term, List<LockRow> rows) {
        LockRow ours = null;
        LockRow other = null;
        for (LockRow row : rows) {
            if (row.isOwnedBy(owner)) {
                ours = row;
            } else if (other == null) {
                other = row;
            }
        }
        if (ours != null) {
            return grant(ours, owner, term, other);
        }
        return other == null ? null : busy(other);
    }

    private @Nullable Attempt grant(LockRow ours, String owner, Term term, @Nullable LockRow past) {
        if (past == null) {
            chores.purge();
        }
        return keep(ours, owner, term, past == null ? null : takeover(past, ours));
    }

    private @Nullable Attempt keep(LockRow ours, String owner, Term term, @Nullable Takeover takeover) {
        if (term.isOver()) {
            chores.release(ours.name(), owner, term.lease(), false);
            return null;
        }
        Lease lease = new Lease(keeper, ours, owner, term, takeover);
        try {
            keeper.keep(lease, term);
            events.acquired(lease);
        } catch (Throwable e) {
            // Nobody would have it, and it would be renewed for ever.
            lease.close();
            throw e;
        }
        return Attempt.won(lease);
    }

    private static @Nullable Takeover takeover(LockRow past, LockRow ours) {
        if (past.owner() == null) {
            return null;
        }
        return new Takeover(past.info(), Duration.ofMillis(Math.max(0, ours.acquiredAt() - past.heldUntil())));
    }

    private @Nullable Attempt afterFailure(SqlFailure failure, String name, String owner, Term term)
            throws InterruptedException {
        switch (failure.outcome()) {
            case UNKNOWN -> {
                return adopt(name, owner, term);
            }
            case ROLLED_BACK, DUPLICATE, REFUSED -> {
                if (table.acquiresInSteps()) {
                    // An earlier step than the one that failed may have taken the lock.
                    chores.release(name, owner, term.lease(), false);
                }
            }
            case NOT_SENT -> {}
        }
        return null;
    }

    /** Looks whether an acquire that was not answered has happened; if not, it is abandoned for good. */
    private @Nullable Attempt adopt(String name, String owner, Term term) throws InterruptedException {
        Attempt adopted = null;
        try {
            LockRow ours = lookUp(name, owner, term);
            adopted = ours == null ? null : keep(ours, owner, term, null);
        } finally {
            if (adopted == null) {
                chores.release(name, owner, term.lease(), true);
            }
        }
        return adopted;
    }

    /**
     * Renews before it reads, since that proves that the acquire is committed: some databases show rows that are not, or not
     * yet. A pool may have more connections that died with the first one, so it is tried again.
     */
    private @Nullable LockRow lookUp(String name, String owner, Term term) throws InterruptedException {
        Backoff backoff = new Backoff();
        for (int tries = 0; tries < LOOK_UPS && !term.isOver(); tries++) {
            try {
                LeaseKeys keys = LeaseKeys.of(name, owner);
                Duration timeout = LockTable.timeout(term.lease());
                boolean ours = table.renew(keys, term.lease(), timeout).contains(owner);
                return ours ? table.find(keys, timeout).get(owner) : null;
            } catch (SqlFailure e) {
                errors.log("'" + name + "' could not be looked up after a lost answer", e);
            }
            TimeUnit.NANOSECONDS.sleep(backoff.nextNanos());
        }
        return null;
    }

    private void requireRetry(String name, @Nullable SqlFailure failure, Patience patience) {
        if (failure == null) {
            if (patience.isGraceOver()) {
                throw new DibsException(
                        "'" + name
                                + "' was not acquired: the database answered too late, or two callers kept colliding",
                        null);
            }
            return;
        }
        boolean retry = switch (failure.outcome()) {
            case REFUSED -> false;
            case ROLLED_BACK, DUPLICATE -> !patience.isGraceOver();
            case NOT_SENT, UNKNOWN -> !patience.isOver();
        };
        if (!retry) {
            throw errors.explain(failure);
        }
    }
}
