package dev.dibs.internal.acquire;

import dev.dibs.DatabaseFailureException;
import dev.dibs.NotAcquiredException;
import dev.dibs.internal.lease.AcquireListeners;
import dev.dibs.internal.lease.HeldLease;
import dev.dibs.internal.lease.LeaseKeys;
import dev.dibs.internal.lease.LeaseKind;
import dev.dibs.internal.lease.LeaseName;
import dev.dibs.internal.lease.LeaseRow;
import dev.dibs.internal.retry.Patience;
import dev.dibs.internal.retry.Retry;
import dev.dibs.internal.retry.RetryPolicy;
import dev.dibs.internal.sql.call.Protocol;
import dev.dibs.internal.sql.errors.SqlFailure;
import dev.dibs.internal.time.Term;
import dev.dibs.internal.values.OwnerToken;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * One call that acquires: asks the database, waits, and asks again.
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
 *
 * <p>For one thread.
 */
public final class AcquireLoop {

    /** Looks before it asks only if the lock was busy a moment ago. */
    public static final BooleanSupplier IF_BUSY = () -> false;

    /** Always looks before it asks. */
    public static final BooleanSupplier ALWAYS = () -> true;

    /** How a waiting caller asks. Close it when the wait is over. */
    public interface QueueTurn extends AutoCloseable {

        AcquireOutcome ask() throws InterruptedException;

        @Override
        default void close() {}
    }

    /** Gives a waiting caller its turn, or its place in a queue. */
    public interface TurnSource {
        QueueTurn enter() throws InterruptedException;
    }

    private final Acquirer acquirer;
    private final LeaseRequest request;
    private final Duration lease;
    private final Duration wait;
    private final long start;
    private final LeaseName room;
    private final AcquireListeners listeners;

    /**
     * Whether a look has shown that the name is free, and the acquire after it came too late. Then a holder is back before this caller can
     * send two statements: with a look before each acquire it might wait for ever.
     */
    private boolean isTooSlow;

    /** Tokens that were sent and are never used: the effect of their statements was unknown. One of them may hold the lock now. */
    private Map<String, LeaseRequest> abandoned = Map.of();

    private @Nullable Patience patience;

    AcquireLoop(Acquirer acquirer, LeaseRequest request, Duration lease, Duration wait, AcquireListeners listeners) {
        this.acquirer = acquirer;
        this.request = request;
        this.lease = lease;
        this.wait = wait;
        this.start = acquirer.clock.nanos();
        this.room = request.room();
        this.listeners = listeners;
    }

    /** Most calls neither wait nor fail, and need none. */
    Patience patience() {
        if (patience == null) {
            patience = new Patience(acquirer.clock, RetryPolicy.acquire(wait, lease), start);
        }
        return patience;
    }

    /** Whether its wait is over. */
    boolean isOver() {
        return wait.isZero() || patience().isOver();
    }

    /** The result of the call after its first attempt: if it was busy, waits and asks again. */
    public AcquireOutcome finish(AcquireOutcome first, TurnSource turns) throws InterruptedException {
        return end(isDone(first) ? first : await(first, turns));
    }

    /** Whether there is nothing left to try. */
    boolean isDone(AcquireOutcome attempt) {
        return attempt.lease() != null || isOver();
    }

    /** The result of the call. */
    AcquireOutcome end(AcquireOutcome attempt) {
        if (attempt.lease() == null) {
            acquirer.events.busy(request.name(), attempt::holder);
        }
        listeners.ended(attempt.lease() != null, attempt::holder);
        return attempt;
    }

    /** The exception for the user if the call ends by this one. */
    public RuntimeException failed(Throwable e) {
        Throwable thrown = e instanceof InterruptedException ? interrupted() : e;
        listeners.failed(thrown);
        if (thrown instanceof Error error) {
            throw error;
        }
        return (RuntimeException) thrown;
    }

    NotAcquiredException interrupted() {
        Thread.currentThread().interrupt();
        return interrupted(request.name());
    }

    static NotAcquiredException interrupted(String name) {
        return new NotAcquiredException(name, null, "'" + name + "' was not acquired: the wait was interrupted");
    }

    /** Waits behind the other callers of this JVM, and asks until it has the lease or the wait is over. */
    AcquireOutcome await(AcquireOutcome busy, TurnSource turns) throws InterruptedException {
        boolean needsOneRelease = request.names().size() == 1;
        // The turn is closed before the waiting room: the next caller must not use the same place in a queue.
        try (WaitingRooms.Place place = acquirer.waiting.enter(room);
                Pauses pauses = new Pauses(place, acquirer, room, needsOneRelease);
                QueueTurn turn = turns.enter()) {
            AcquireOutcome attempt = busy;
            SelfWait self = acquirer.selfWait(patience(), request.kind(), busy.nameOfHeld(request));
            while (!place.awaitFront(self.remainingNanos())) {
                if (!self.warn()) {
                    return attempt;
                }
            }
            while (!isDone(attempt)) {
                boolean released = pauses.sleep(attempt, self.remainingNanos());
                self.warn();
                if (released) {
                    // It is probably free: a look would only cost time.
                    acquirer.busyNames.remove(room);
                }
                attempt = turn.ask();
            }
            if (request.kind().isShared() && attempt.lease() != null) {
                acquirer.waiting.released(room);
            }
            return attempt;
        }
    }

    /**
     * Asks until the database gives a clear answer.
     *
     * @param wanted the request of this call, or for something that it needs meanwhile
     * @param looks whether to look first even if it is probably free
     */
    public AcquireOutcome ask(LeaseRequest wanted, long lease, BooleanSupplier looks) throws InterruptedException {
        while (true) {
            acquirer.requireOpen();
            boolean looked = looks.getAsBoolean() || (!isTooSlow && acquirer.busyNames.isLikely(roomOf(wanted)));
            AcquireOutcome held = looked ? look(wanted) : null;
            if (held != null && !releasesAbandoned(held)) {
                return held;
            }
            String owner = OwnerToken.next();
            Term term = Term.from(acquirer.clock, lease);
            SqlFailure failure = null;
            try {
                List<LeaseRow> rows = wanted.statement(acquirer.database)
                        .acquire(
                                new LeaseKeys.Key(wanted.name(), owner),
                                acquirer.holder,
                                Math.max(lease, wanted.hold()));
                if (isNew(rows, owner)) {
                    acquirer.maintenance.purge(wanted.kind().baseKind());
                }
                AcquireOutcome attempt = read(wanted, owner, term, rows);
                isTooSlow |= looked && attempt != null && attempt.lease() == null;
                if (releasesAbandoned(attempt)) {
                    continue;
                }
                if (attempt != null) {
                    return attempt;
                }
            } catch (SqlFailure e) {
                failure = e;
                try {
                    HeldLease adopted = afterFailure(e, wanted, owner, term);
                    if (adopted != null) {
                        return AcquireOutcome.won(adopted);
                    }
                } catch (SqlFailure undone) {
                    failure = undone;
                    abandoned(owner, wanted);
                }
            } catch (Error e) {
                // Perhaps it was sent; then this releases it.
                acquirer.abandon(wanted, owner, term, false);
                throw e;
            }
            requireRetry(wanted.name(), failure, term);
            patience().pause();
        }
    }

    /** Returns null if it is free. */
    private @Nullable AcquireOutcome look(LeaseRequest wanted) throws InterruptedException {
        try {
            AcquireOutcome inTheWay = wanted.requiresLook() ? requireLook(wanted) : wanted.look(acquirer.database);
            if (inTheWay != null) {
                return remembered(wanted, inTheWay);
            }
        } catch (SqlFailure e) {
            if (wanted.requiresLook() || e.getCause() instanceof Protocol.Unusable) {
                throw acquirer.errors.explainHarmless(e);
            }
            acquirer.errors.log("A look at '" + wanted.name() + "' failed; the acquire will show", e);
        }
        acquirer.busyNames.remove(roomOf(wanted));
        return null;
    }

    private @Nullable AcquireOutcome requireLook(LeaseRequest wanted) throws SqlFailure, InterruptedException {
        return Objects.requireNonNull(Retry.run(patience(), () -> Optional.ofNullable(wanted.look(acquirer.database))))
                .orElse(null);
    }

    private LeaseName roomOf(LeaseRequest wanted) {
        return wanted == request ? room : wanted.room();
    }

    private AcquireOutcome remembered(LeaseRequest wanted, AcquireOutcome busy) {
        if (busy.heldForMillis() > 0) {
            acquirer.busyNames.add(roomOf(wanted), busy.heldForMillis());
        }
        return busy;
    }

    /** Returns null if the answer decides nothing: two callers were first at the same instant, or ours came too late. */
    private @Nullable AcquireOutcome read(LeaseRequest wanted, String owner, Term term, List<LeaseRow> rows) {
        LeaseRow ours = null;
        LeaseRow other = null;
        for (LeaseRow row : rows) {
            if (row.isOwnedBy(owner)) {
                ours = row;
            } else if (other == null) {
                other = row;
            }
        }
        LeaseKind kind = wanted.kind().waitsFor();
        if (ours == null) {
            return other == null ? null : remembered(wanted, AcquireOutcome.busy(other, kind));
        }
        HeldLease lease = acquirer.keep(wanted, ours, owner, term, other == null ? null : ours.takeover(other, kind));
        return lease == null ? null : AcquireOutcome.won(lease);
    }

    /** Whether the table has grown by a row. */
    private static boolean isNew(List<LeaseRow> rows, String owner) {
        return rows.size() == 1 && rows.get(0).isOwnedBy(owner);
    }

    private @Nullable HeldLease afterFailure(SqlFailure failure, LeaseRequest wanted, String owner, Term term)
            throws SqlFailure, InterruptedException {
        HeldLease adopted = null;
        switch (failure.outcome()) {
            case UNKNOWN -> {
                adopted = adopt(failure, wanted, owner, term);
                if (adopted == null) {
                    abandoned(owner, wanted);
                }
            }
            case ROLLED_BACK, DUPLICATE, REFUSED -> {
                // It has done nothing.
            }
            case NOT_SENT, NO_ANSWER -> {
                if (Thread.interrupted()) {
                    throw new InterruptedException();
                }
            }
        }
        return adopted;
    }

    private void abandoned(String owner, LeaseRequest sent) {
        if (abandoned.isEmpty()) {
            abandoned = new LinkedHashMap<>();
        }
        abandoned.put(owner, sent);
    }

    /** Looks whether an unanswered acquire has taken effect; if not, its token is abandoned for good. */
    private @Nullable HeldLease adopt(SqlFailure failure, LeaseRequest wanted, String owner, Term term)
            throws SqlFailure, InterruptedException {
        return Retry.afterLostAnswer(
                failure,
                () -> {
                    LeaseRow ours = term.isOver() ? null : wanted.find(acquirer.database, owner, term.lease());
                    return ours == null ? null : acquirer.keep(wanted, ours, owner, term, null);
                },
                () -> acquirer.abandon(wanted, owner, term, false));
    }

    /**
     * If the lock is busy, it may be so because of abandoned tokens: releases them, once each. The background does it again, for statements
     * that are still on their way. Returns whether to ask again.
     */
    private boolean releasesAbandoned(@Nullable AcquireOutcome attempt) {
        if (attempt == null || attempt.lease() != null || abandoned.isEmpty()) {
            return false;
        }
        abandoned.forEach((owner, sent) -> acquirer.keeper.releaseUnused(sent.kind(), sent.keys(owner)));
        abandoned.clear();
        return true;
    }

    private void requireRetry(String name, @Nullable SqlFailure failure, Term term) {
        if (failure != null) {
            if (!patience().allows(failure)) {
                throw acquirer.errors.explain(failure);
            }
        } else if (!patience().allowsCollision()) {
            String why = term.isOver()
                    ? "the database answered too late again and again, when the lease of " + term.lease()
                            + " ms was over"
                    : "two callers kept colliding";
            throw new DatabaseFailureException("'" + name + "' was not acquired: " + why);
        }
    }
}
