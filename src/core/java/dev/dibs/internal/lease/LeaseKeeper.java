package dev.dibs.internal.lease;

import dev.dibs.DatabaseFailureException;
import dev.dibs.LeaseLostException;
import dev.dibs.internal.guarded.GuardedTransactions;
import dev.dibs.internal.guarded.JoinedTransaction;
import dev.dibs.internal.retry.Patience;
import dev.dibs.internal.retry.Retry;
import dev.dibs.internal.retry.RetryPolicy;
import dev.dibs.internal.schema.Errors;
import dev.dibs.internal.sql.call.Database;
import dev.dibs.internal.sql.errors.SqlFailure;
import dev.dibs.internal.time.Deadline;
import dev.dibs.internal.time.InFlight;
import dev.dibs.internal.time.LocalClock;
import dev.dibs.internal.time.Renewals;
import dev.dibs.internal.time.Term;
import java.sql.Connection;
import java.time.Duration;
import java.util.Comparator;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The leases that one instance holds, and what they need: renewal, the watch over their deadlines, release.
 *
 * <p>Maintenance has a thread of its own, started when needed: it must not delay a renewal.
 */
public final class LeaseKeeper implements LeaseKeeping {

    private static final Duration RELEASE_TIMEOUT = Duration.ofSeconds(2);

    private final Database database;
    private final LockRelease locks;
    private final Errors errors;
    private final Events events;
    private final Waiters waiting;
    private final LocalClock clock;
    private final Maintenance maintenance;
    private final GuardedTransactions transactions;
    private final Map<String, HeldLease> held = new ConcurrentHashMap<>();
    private final InFlight inFlight = new InFlight();
    private final Renewals renewals;
    private volatile boolean closed;

    /**
     * For one instance.
     *
     * @param locks releases locks, on connections for callers' threads
     * @param forHeartbeat on connections for the heartbeat's thread
     * @param transactions that its leases guard
     */
    public LeaseKeeper(
            Database database,
            LockRelease locks,
            Database forHeartbeat,
            Maintenance maintenance,
            Errors errors,
            Events events,
            Waiters waiting,
            LocalClock clock,
            GuardedTransactions transactions) {
        this.database = database;
        this.locks = locks;
        this.maintenance = maintenance;
        this.errors = errors;
        this.events = events;
        this.waiting = waiting;
        this.clock = clock;
        this.transactions = transactions;
        Heartbeat heartbeat = new Heartbeat(forHeartbeat, held.values(), events, clock);
        this.renewals = new Renewals("dibs-heartbeat", "dibs-deadlines", held.values(), heartbeat::round);
    }

    public LocalClock clock() {
        return clock;
    }

    public void requireOpen() {
        if (closed) {
            throw new IllegalStateException("this Dibs is closed");
        }
    }

    /** Starts to renew and to watch a new lease. An intent is not known to any listener before {@link #grant}. */
    public HeldLease hold(Grant grant) {
        HeldLease lease = switch (grant.kind()) {
            case PERMIT -> new HeldPermit(this, grant);
            case TIMED_LOCK -> new HeldTimedLease(this, grant);
            default -> new HeldLease(this, grant);
        };
        try {
            keep(lease, grant.term());
            if (!lease.isIntent) {
                events.acquired(lease);
            }
        } catch (Throwable e) {
            // Nobody would use it, and it would be renewed for ever.
            lease.close();
            throw e;
        }
        return lease;
    }

    /** The lease is more than an intent now: its caller has it. */
    public void grant(HeldLease intent) {
        intent.isIntent = false;
        events.acquired(intent);
    }

    private void keep(HeldLease lease, Term term) {
        lease.renewAt = Heartbeat.next(lease, term);
        held.put(lease.owner(), lease);
        renewals.within(lease.renewAt - clock.nanos(), term.remainingNanos());
        if (closed) {
            // close() may have looked just before this lease was added.
            lease.close();
            requireOpen();
        }
    }

    /** The number of leases, without those that are only an intent yet. */
    public int size() {
        return (int) held.values().stream().filter(lease -> !lease.isIntent).count();
    }

    public @Nullable HeldLease byOwner(@Nullable String owner) {
        return owner == null ? null : held.get(owner);
    }

    /** Whether this thread has acquired one that is still open. */
    public boolean hasOfThisThread(LeaseKind kind, String name) {
        return held.values().stream()
                .anyMatch(lease -> lease.thread().isCurrent()
                        && lease.kind() == kind
                        && lease.name().equals(name)
                        && !lease.isOver());
    }

    /** A lease of this instance that keeps callers of that kind and name out; one of this thread if there is one. */
    public @Nullable HeldLease inTheWay(LeaseKind wanted, String name) {
        return held.values().stream()
                .filter(lease -> lease.name().equals(name) && lease.kind().keepsOut(wanted))
                .filter(lease -> !lease.isIntent && !lease.isOver())
                .min(Comparator.comparing(lease -> !lease.thread().isCurrent()))
                .orElse(null);
    }

    @Override
    public void renewSoon(HeldLease lease) {
        lease.renewAt = clock.nanos();
        renewals.renewWithin(0);
    }

    @Override
    public void confirm(HeldLease lease) {
        LeaseKind kind = lease.kind();
        LeaseKeys keys = LeaseKeys.of(lease.key());
        Duration timeout = LeaseKind.timeout(lease.length());
        try {
            Term renewal = Term.from(clock, lease.length());
            if (kind.isRenewed()
                    && kind.renew(database, keys, lease.length(), timeout).contains(lease.owner())) {
                lease.extend(renewal);
                return;
            }
            // Locked just now, by our own heartbeat or a guard; or never renewed. Then the row shows how long it is
            // ours.
            Term reading = Term.from(clock, lease.length());
            LeaseRow row = kind.find(database, keys, timeout).get(lease.owner());
            if (row == null) {
                lease.lose(Heartbeat.NOT_OURS);
            } else {
                lease.extend(row.left(reading, database.tolerance()));
            }
        } catch (SqlFailure e) {
            throw errors.explain(e);
        }
    }

    @Override
    public boolean extend(HeldLease lease, long millis, long held) {
        Boolean extended;
        try {
            extended = Retry.uninterrupted(RetryPolicy.EXTENSION, () -> extendOnce(lease, millis, held));
        } catch (SqlFailure e) {
            throw errors.explainHarmless(e);
        }
        if (extended == null) {
            throw new DatabaseFailureException(
                    "'" + lease.name() + "' was not extended: its row is locked, as by a guarded transaction. Extend it"
                            + " when that has ended");
        }
        return extended;
    }

    /** Returns null if the row is locked just now. The statement never brings its end forward, so sending it twice does no harm. */
    private @Nullable Boolean extendOnce(HeldLease lease, long millis, long held) throws SqlFailure {
        Term term = lease.term();
        if (term == null) {
            return false;
        }
        Term next = Term.from(clock, Math.max(millis, term.leftMillis()));
        LeaseKeys keys = LeaseKeys.of(lease.key());
        Duration timeout = LeaseKind.timeout(next.lease());
        Set<String> renewed = lease.kind().renew(database, keys, Math.max(next.lease(), held), timeout);
        if (renewed.contains(lease.owner())) {
            lease.extend(next);
            return !lease.isOver();
        }
        if (lease.kind().find(database, keys, timeout).isEmpty()) {
            lease.lose(Heartbeat.NOT_OURS);
            return false;
        }
        return null;
    }

    @Override
    public void guard(HeldLease lease, Connection connection) {
        JoinedTransaction.require(connection, "guard('" + lease.name() + "')", "and guard as its first statement");
        boolean ours;
        try {
            ours = lease.kind().guard(database, connection, lease.key());
        } catch (SqlFailure e) {
            throw errors.explainGuard(lease.name(), e);
        }
        if (!ours) {
            // That is the view of the caller's transaction, which may have a snapshot from before the lease. A
            // connection of our own shows whether the lease is really lost.
            renewSoon(lease);
            throw lease.notInTransaction();
        }
    }

    @Override
    public GuardedTransactions transactions() {
        return transactions;
    }

    @Override
    public void forget(HeldLease lease) {
        held.remove(lease.owner());
    }

    /** If the answer to a renewal was lost, the row may still have our owner token. It is released for the next holder. */
    @Override
    public void lost(HeldLease lease, LeaseLostException reason) {
        maintenance.release(lease);
        notifyLost(lease, reason);
    }

    /** An intent that was not granted is not known to any listener. */
    private void notifyLost(HeldLease lease, LeaseLostException reason) {
        if (!lease.isIntent) {
            events.lost(lease, reason, lease.held());
        }
    }

    private void notifyReleased(HeldLease lease) {
        if (!lease.isIntent) {
            events.released(lease);
        }
    }

    /** If the database does not answer in time, the release goes on in the background. */
    @Override
    public void release(HeldLease lease) {
        inFlight.begin();
        held.remove(lease.owner());
        Released released = Released.UNANSWERED;
        LeaseLostException lost = null;
        try {
            released = releaseNow(lease);
        } finally {
            // After an error, too.
            if (released.isPending()) {
                maintenance.release(lease);
            } else if (released.answer() == Released.Answer.NOT_OURS) {
                lost = lease.wasLost();
            }
            // Before anybody is notified: a listener may close the lease again.
            lease.answered(released);
            inFlight.end();
        }
        waiting.released(new LeaseName(lease.kind(), lease.name()));
        if (lost == null) {
            notifyReleased(lease);
        } else {
            notifyLost(lease, lost);
        }
    }

    private Released releaseNow(HeldLease lease) {
        try {
            if (releaseOrSkip(lease)) {
                return Released.DONE;
            }
            return Released.of(isStillOurs(lease) ? Released.Answer.LATER : Released.Answer.NOT_OURS);
        } catch (SqlFailure e) {
            errors.log("The release of '" + lease.name() + "' is left to the background", e);
            return new Released(Released.Answer.UNKNOWN, e);
        }
    }

    /**
     * A row that no release finds is locked just now, or not ours any more. A missing reader's row proves nothing: where a release takes
     * several steps, a writer may have deleted it between two of them.
     */
    private boolean isStillOurs(HeldLease lease) throws SqlFailure {
        LeaseKind kind = lease.kind();
        LeaseKeys keys = LeaseKeys.of(lease.key());
        return kind == LeaseKind.READER
                || !kind.find(database, keys, LeaseKind.timeout(lease.length())).isEmpty();
    }

    /** Releases rows that were granted too late, so that the retry finds them free. Returns false if that failed. */
    public boolean releaseUnused(LeaseKind kind, LeaseKeys keys) {
        try {
            kind.baseKind().release(database, keys, 0, RELEASE_TIMEOUT);
            return true;
        } catch (SqlFailure e) {
            errors.log("The release of what was granted too late is left to the background", e);
            return false;
        }
    }

    @Override
    public void closedHere(HeldLease lease) {
        inFlight.begin();
        held.remove(lease.owner());
        notifyReleased(lease);
    }

    @Override
    public void closedThere() {
        inFlight.end();
    }

    @Override
    public void releaseLater(HeldLease lease) {
        maintenance.release(lease);
    }

    /** The row may be locked for a moment by our own renewal, so the release is tried again; or for long by a guard. */
    private boolean releaseOrSkip(HeldLease lease) throws SqlFailure {
        Duration timeout = LeaseKind.timeout(lease.length());
        Patience patience = null;
        while (true) {
            boolean released = lease.kind() == LeaseKind.LOCK
                    ? locks.release(lease, timeout)
                    : lease.kind().release(database, lease.key(), lease.hold(), timeout);
            if (released) {
                return true;
            }
            if (patience == null) {
                patience = RetryPolicy.RELEASE.begin();
            }
            if (!patience.pausesForAnother()) {
                return false;
            }
        }
    }

    @Override
    public void callBack(Consumer<? super LeaseLostException> callback, LeaseLostException lost) {
        events.elsewhere(() -> callback.accept(lost));
    }

    /** Releases everything and ends the threads. A lease that cannot be released in time expires. */
    public void close(Deadline deadline) {
        closed = true;
        waiting.close();
        for (HeldLease lease : held.values()) {
            if (lease.endWithDibs()) {
                forget(lease);
                maintenance.release(lease);
                notifyReleased(lease);
            }
        }
        inFlight.awaitNone(held::isEmpty, deadline.half());
        renewals.stop(deadline, deadline.half());
        maintenance.close(deadline);
    }
}
