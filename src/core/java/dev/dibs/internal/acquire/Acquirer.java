package dev.dibs.internal.acquire;

import dev.dibs.DatabaseFailureException;
import dev.dibs.Lease.Takeover;
import dev.dibs.NotAcquiredException;
import dev.dibs.internal.lease.Events;
import dev.dibs.internal.lease.HeldLease;
import dev.dibs.internal.lease.LeaseKeeper;
import dev.dibs.internal.lease.LeaseKind;
import dev.dibs.internal.lease.LeaseRow;
import dev.dibs.internal.lease.Maintenance;
import dev.dibs.internal.retry.Patience;
import dev.dibs.internal.retry.Retry;
import dev.dibs.internal.retry.RetryPolicy;
import dev.dibs.internal.schema.Errors;
import dev.dibs.internal.sql.errors.SqlFailure;
import dev.dibs.internal.sql.run.Database;
import dev.dibs.internal.sql.run.Protocol;
import dev.dibs.internal.time.LocalClock;
import dev.dibs.internal.time.Term;
import dev.dibs.internal.values.OwnerToken;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Acquires leases: asks the database, waits, and asks again.
 *
 * <ol>
 *   <li>Every acquire that is sent carries a fresh owner token. A token is sent again only if the database has answered that its statement
 *       did nothing.
 *   <li>An answer names the winner. If it is ours, the lease counts from before the statement was sent. If that lease has ended by now, the
 *       answer came too late: the lock is released, not returned, and asked for again.
 *   <li>No answer (the connection died): the token is looked up on another connection. Found: the lease is ours. Not found, or impossible
 *       to look up: the token is abandoned for good, since the statement may still be on its way.
 *   <li>The database rolled the statement back, or another caller added the row first: it is sent again after a pause.
 *   <li>Busy after that: perhaps because of the abandoned token. It is released, and the lock is asked for once more.
 *   <li>Busy: the next caller looks first, since reading is cheaper. The caller sleeps: {@link Pauses}.
 * </ol>
 */
public final class Acquirer {

    private final Database database;
    private final LeaseKeeper keeper;
    private final WaitingRooms waiting;
    private final Wakeups wakeups;
    private final Errors errors;
    private final Events events;
    private final Maintenance maintenance;
    private final LocalClock clock;
    private final String holder;
    private final Admission admission;
    private final BusyNames busyNames;

    public Acquirer(
            Database database,
            LeaseKeeper keeper,
            WaitingRooms waiting,
            Wakeups wakeups,
            Errors errors,
            Events events,
            Maintenance maintenance,
            String holder) {
        this.database = database;
        this.keeper = keeper;
        this.waiting = waiting;
        this.wakeups = wakeups;
        this.errors = errors;
        this.events = events;
        this.maintenance = maintenance;
        this.clock = keeper.clock();
        this.holder = holder;
        this.admission = new Admission(keeper, waiting, wakeups, errors);
        this.busyNames = new BusyNames(clock);
    }

    public void requireOpen() {
        keeper.requireOpen();
    }

    /** Acquires, or returns the holder after the wait. */
    public Attempt acquire(LeaseRequest request, Duration lease, Duration wait) {
        request.requirePossible();
        Patience patience = new Patience(clock, RetryPolicy.acquire(wait, lease));
        AbandonedTokens abandoned = new AbandonedTokens(keeper);
        try {
            Attempt attempt;
            do {
                attempt = ask(request, lease.toMillis(), patience, abandoned);
                if (attempt.lease() == null && !patience.isOver()) {
                    attempt = queue(request, lease.toMillis(), patience, abandoned, attempt);
                }
                if (request.isIntent() && attempt.lease() != null) {
                    attempt = admission.await(request, attempt.lease(), patience);
                }
            } while (attempt.lease() == null && !patience.isOver());
            if (attempt.lease() == null) {
                events.busy(request.name(), attempt.holder());
            }
            return attempt;
        } catch (InterruptedException e) {
            throw interrupted(request);
        }
    }

    /** Acquires without a wait, or returns the reason. No listener is notified that it was busy. */
    public Attempt askOnce(LeaseRequest request, Duration lease) {
        try {
            Patience patience = new Patience(clock, RetryPolicy.acquire(Duration.ZERO, lease));
            return ask(request, lease.toMillis(), patience, new AbandonedTokens(keeper));
        } catch (InterruptedException e) {
            throw interrupted(request);
        }
    }

    /** The watch over a wait, in case the caller waits for itself. */
    public SelfWait selfWait(Patience patience, LeaseKind kind, String name) {
        return new SelfWait(patience, keeper.inTheWay(kind, name));
    }

    /** An addition to a message that names the holder, if that is this instance; else empty. */
    public String selfText(LeaseKind kind, String name) {
        HeldLease own = keeper.inTheWay(kind, name);
        return own == null ? "" : "; " + SelfWait.text(own);
    }

    private static NotAcquiredException interrupted(LeaseRequest request) {
        Thread.currentThread().interrupt();
        String name = request.name();
        return new NotAcquiredException(name, null, "'" + name + "' was not acquired: the wait was interrupted");
    }

    private Attempt queue(LeaseRequest request, long lease, Patience patience, AbandonedTokens abandoned, Attempt busy)
            throws InterruptedException {
        // The place in the queue is released before the waiting room: the next caller must not use the same place.
        try (WaitingRooms.Place place = waiting.enter(request.id());
                Pauses pauses = new Pauses(place, wakeups, request.id(), request.canBeNotified());
                LeaseRequest.Place inQueue =
                        request.queue(lease, (other, length) -> ask(other, length, patience, abandoned))) {
            Attempt attempt = busy;
            SelfWait self = selfWait(patience, request.kind(), busy.nameOfHeld(request));
            while (!place.awaitFront(self.remainingNanos())) {
                if (!self.warn()) {
                    return attempt;
                }
            }
            while (attempt.lease() == null && !patience.isOver()) {
                boolean released = pauses.sleep(attempt, self.remainingNanos());
                self.warn();
                if (released) {
                    // It is probably free: a look would only cost time.
                    busyNames.remove(request.id());
                }
                attempt = ask(inQueue.next(), lease, patience, abandoned);
            }
            if (request.isShared() && attempt.lease() != null) {
                waiting.released(request.id());
            }
            return attempt;
        }
    }

    /** Asks until the database gives a clear answer. */
    private Attempt ask(LeaseRequest request, long lease, Patience patience, AbandonedTokens abandoned)
            throws InterruptedException {
        int tries = 0;
        while (true) {
            tries++;
            keeper.requireOpen();
            Attempt held = lookFirst(request, patience);
            if (held != null && !abandoned.releaseIfBusy(held)) {
                return held;
            }
            String owner = OwnerToken.next();
            Term term = Term.from(clock, lease);
            SqlFailure failure = null;
            try {
                List<LeaseRow> rows = request.acquire(owner, holder, lease);
                if (isNew(rows, owner)) {
                    maintenance.purge(request.kind().plain());
                }
                Attempt attempt = read(request, owner, term, rows);
                if (abandoned.releaseIfBusy(attempt)) {
                    continue;
                }
                if (attempt != null && !isWorthAnotherTry(attempt, request, tries, patience)) {
                    return attempt;
                }
            } catch (SqlFailure e) {
                failure = e;
                Attempt adopted = afterFailure(e, request, owner, term);
                if (adopted != null) {
                    return adopted;
                }
                if (e.outcome() == SqlFailure.Outcome.UNKNOWN || request.hasSteps()) {
                    abandoned.add(request, owner);
                }
            } catch (Error e) {
                // Perhaps it was sent; then this releases it.
                abandon(request, owner, term, false);
                throw e;
            }
            requireRetry(request.name(), failure, term, patience);
            patience.pause();
        }
    }

    private static boolean isWorthAnotherTry(Attempt attempt, LeaseRequest request, int tries, Patience patience) {
        return attempt.isLocked() && tries < request.triesIfLocked() && !patience.isGraceOver();
    }

    /** Returns null if the lock is free, or not known to be held. A writer that may not wait must not block readers. */
    private @Nullable Attempt lookFirst(LeaseRequest request, Patience patience) {
        boolean hasNoTime = request.isIntent() && patience.isOver();
        if (!hasNoTime && !request.looksFirst() && !busyNames.isLikely(request.id())) {
            return null;
        }
        try {
            Attempt inTheWay = request.look();
            if (inTheWay != null) {
                return remembered(request, inTheWay);
            }
        } catch (SqlFailure e) {
            if (e.getCause() instanceof Protocol.Newer) {
                // A queue that cannot be read must not be bypassed.
                throw errors.explain(e);
            }
            errors.log("A look at '" + request.name() + "' failed; the acquire will show", e);
        }
        busyNames.remove(request.id());
        return null;
    }

    private Attempt remembered(LeaseRequest request, Attempt busy) {
        if (busy.heldForMillis() > 0) {
            busyNames.add(request.id(), busy.heldForMillis());
        }
        return busy;
    }

    /** Returns null if the answer decides nothing: two callers were first at the same instant, or ours came too late. */
    private @Nullable Attempt read(LeaseRequest request, String owner, Term term, List<LeaseRow> rows) {
        LeaseRow ours = null;
        LeaseRow other = null;
        for (LeaseRow row : rows) {
            if (row.isOwnedBy(owner)) {
                ours = row;
            } else if (other == null) {
                other = row;
            }
        }
        LeaseKind kind = request.id().kind();
        if (ours != null) {
            return keep(request, ours, owner, term, other == null ? null : ours.takeover(other, kind));
        }
        return other == null ? null : remembered(request, Attempt.busy(other, kind));
    }

    /** Whether the table has grown by a row. */
    private static boolean isNew(List<LeaseRow> rows, String owner) {
        return rows.size() == 1 && rows.get(0).isOwnedBy(owner);
    }

    /** Releases a row that the acquire may have created. */
    private void abandon(LeaseRequest request, String owner, Term term, boolean isAnswered) {
        long heldFor = Math.max(term.lease(), request.hold());
        long onItsWay = isAnswered ? 0 : term.lease();
        request.owners(owner)
                .forEach((name, token) -> maintenance.release(request.kind(), name, token, heldFor, onItsWay));
    }

    /**
     * The leases on all locks of a list, in the list's order, once the first one was acquired.
     *
     * @throws DatabaseFailureException if one of them is not ours any more, or that cannot be found out; then none is held
     */
    public List<HeldLease> others(LocksRequest request, HeldLease first) {
        List<HeldLease> leases = new ArrayList<>(List.of(first));
        Term term = first.term();
        try {
            if (term == null) {
                first.check();
                throw new IllegalStateException("lost, and not lost");
            }
            for (LocksRequest.Grant grant : request.grants(first.owner())) {
                Takeover takeover = grant.past() == null ? null : grant.ours().takeover(grant.past(), LeaseKind.LOCK);
                LeaseRequest one = new LockRequest(database, grant.ours().name());
                Attempt kept = keep(one, grant.ours(), grant.owner(), term, takeover);
                if (kept == null || kept.lease() == null) {
                    throw new DatabaseFailureException(
                            "'" + one.name() + "' was not acquired: the answer came too late", null);
                }
                leases.add(kept.lease());
            }
            if (request.hasMade()) {
                maintenance.purge(LeaseKind.LOCK);
            }
            return leases;
        } catch (SqlFailure e) {
            giveUp(request, leases);
            throw errors.explain(e);
        } catch (RuntimeException e) {
            giveUp(request, leases);
            throw e;
        }
    }

    private void giveUp(LocksRequest request, List<HeldLease> leases) {
        leases.forEach(HeldLease::close);
        HeldLease first = leases.get(0);
        request.owners(first.owner())
                .forEach((name, token) -> maintenance.release(LeaseKind.LOCK, name, token, first.length(), 0));
    }

    private @Nullable Attempt keep(
            LeaseRequest request, LeaseRow ours, String owner, Term term, @Nullable Takeover takeover) {
        if (term.isOver()) {
            if (!keeper.releaseUnused(request.kind(), request.owners(owner))) {
                abandon(request, owner, term, true);
            }
            return null;
        }
        return Attempt.won(
                keeper.hold(request.kind(), request.hold(), ours, owner, term, takeover, request.isIntent()));
    }

    private @Nullable Attempt afterFailure(SqlFailure failure, LeaseRequest request, String owner, Term term)
            throws InterruptedException {
        switch (failure.outcome()) {
            case UNKNOWN -> {
                return adopt(request, owner, term);
            }
            case ROLLED_BACK, DUPLICATE, REFUSED -> {
                if (request.hasSteps()) {
                    // A step before the one that failed may have acquired the lock.
                    abandon(request, owner, term, true);
                }
            }
            case NOT_SENT -> {
                if (Thread.interrupted()) {
                    throw new InterruptedException();
                }
            }
        }
        return null;
    }

    /** Looks whether an unanswered acquire has taken effect; if not, its token is abandoned for good. */
    private @Nullable Attempt adopt(LeaseRequest request, String owner, Term term) throws InterruptedException {
        return Retry.afterLostAnswer(
                () -> {
                    LeaseRow ours = term.isOver() ? null : request.find(database, owner, term.lease());
                    return ours == null ? null : keep(request, ours, owner, term, null);
                },
                () -> abandon(request, owner, term, false));
    }

    private void requireRetry(String name, @Nullable SqlFailure failure, Term term, Patience patience) {
        if (failure == null) {
            if (!patience.allowsCollision()) {
                String why = term.isOver()
                        ? "the database answered too late again and again, when the lease of " + term.lease()
                                + " ms was over"
                        : "two callers kept colliding";
                throw new DatabaseFailureException("'" + name + "' was not acquired: " + why, null);
            }
            return;
        }
        if (!patience.allows(failure)) {
            throw errors.explain(failure);
        }
    }
}
