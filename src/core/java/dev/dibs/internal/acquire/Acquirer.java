package dev.dibs.internal.acquire;

import dev.dibs.Lease.Takeover;
import dev.dibs.internal.lease.AcquireListeners;
import dev.dibs.internal.lease.Events;
import dev.dibs.internal.lease.Grant;
import dev.dibs.internal.lease.HeldLease;
import dev.dibs.internal.lease.LeaseKeeper;
import dev.dibs.internal.lease.LeaseKeys;
import dev.dibs.internal.lease.LeaseKind;
import dev.dibs.internal.lease.LeaseRow;
import dev.dibs.internal.lease.Maintenance;
import dev.dibs.internal.retry.Patience;
import dev.dibs.internal.schema.Errors;
import dev.dibs.internal.sql.call.Database;
import dev.dibs.internal.sql.call.Label;
import dev.dibs.internal.time.LocalClock;
import dev.dibs.internal.time.Term;
import dev.dibs.internal.values.Arguments;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** What all callers of one instance need to acquire leases: see {@link AcquireLoop}. */
public final class Acquirer {

    /** How long a row is known to exist: much less than the time after which an idle one is deleted. */
    static final long KNOWN_MILLIS = 60_000;

    final Database database;
    final LeaseKeeper keeper;
    final WaitingRooms waiting;
    /** Also for what waits for something else than a lease. */
    public final Wakeups wakeups;

    final Errors errors;
    final Events events;
    final Maintenance maintenance;
    final LocalClock clock;
    final Label holder;
    final BusyNames busyNames;
    /** Names that have a row. */
    final BusyNames knownRows;
    /** Whether a guard was said to need its first step. */
    final AtomicBoolean warned = new AtomicBoolean();

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
        this.holder = Label.label(holder);
        this.busyNames = new BusyNames(clock);
        this.knownRows = new BusyNames(clock);
    }

    public void requireOpen() {
        keeper.requireOpen();
    }

    /** A call of a user, which begins now. */
    public AcquireLoop loop(LeaseRequest request, Duration lease, Duration wait) {
        return new AcquireLoop(this, request, lease, Arguments.checkWait(wait), events.acquiring(request.name()));
    }

    /** Looks, and acquires if it is free, without a wait. Listeners are notified of the lease, but not of a call or that it was busy. */
    public AcquireOutcome askOnce(LeaseRequest request, Duration lease) {
        AcquireLoop loop = new AcquireLoop(this, request, lease, Duration.ZERO, AcquireListeners.NO_LISTENERS);
        try {
            return loop.ask(request, lease.toMillis(), AcquireLoop.ALWAYS);
        } catch (InterruptedException e) {
            throw loop.interrupted();
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

    /** Holds what was granted. Returns null if the grant came too late: then it is released. */
    @Nullable
    HeldLease keep(LeaseRequest request, LeaseRow ours, String owner, Term term, @Nullable Takeover takeover) {
        if (term.isOver()) {
            if (!keeper.releaseUnused(request.kind(), request.keys(owner))) {
                abandon(request, owner, term, true);
            }
            return null;
        }
        return keeper.hold(new Grant(request.kind(), request.hold(), ours, owner, term, takeover));
    }

    /** Releases in the background a row that the acquire may have created. */
    void abandon(LeaseRequest request, String owner, Term term, boolean isAnswered) {
        long heldFor = Math.max(term.lease(), request.hold());
        long onItsWay = isAnswered ? 0 : term.lease();
        for (LeaseKeys.Key key : request.keys(owner).all()) {
            maintenance.release(request.kind(), key, heldFor, onItsWay);
        }
    }
}
