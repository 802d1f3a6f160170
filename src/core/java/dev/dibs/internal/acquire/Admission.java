package dev.dibs.internal.acquire;

import dev.dibs.internal.lease.HeldLease;
import dev.dibs.internal.lease.LeaseKeeper;
import dev.dibs.internal.lease.LeaseKind;
import dev.dibs.internal.lease.LeaseName;
import dev.dibs.internal.lease.LeaseRow;
import dev.dibs.internal.retry.Patience;
import dev.dibs.internal.retry.Retry;
import dev.dibs.internal.schema.Errors;
import dev.dibs.internal.sql.errors.SqlFailure;
import java.util.List;
import java.util.Objects;

/**
 * The second half of an acquire that begins with an intent. A writer has the gate, which keeps new readers out, and waits until the present
 * readers have left. Its lease on the gate is renewed like any other, so it expires if this process dies.
 */
final class Admission {

    private final LeaseKeeper keeper;
    private final WaitingRooms waiting;
    private final Wakeups wakeups;
    private final Errors errors;

    Admission(LeaseKeeper keeper, WaitingRooms waiting, Wakeups wakeups, Errors errors) {
        this.keeper = keeper;
        this.waiting = waiting;
        this.wakeups = wakeups;
        this.errors = errors;
    }

    /**
     * Returns the lease when the others have left. If the patience or the lease ends before, releases the lease and returns one of the
     * others.
     */
    Attempt await(LeaseRequest request, HeldLease intent, Patience patience) throws InterruptedException {
        boolean entered = false;
        LeaseName readers = new LeaseName(LeaseKind.READER, request.name());
        try (WaitingRooms.Place place = waiting.enter(readers);
                Pauses pauses = new Pauses(place, wakeups, readers, true)) {
            while (true) {
                Attempt attempt = ask(request, intent, patience);
                if (attempt.lease() != null) {
                    entered = true;
                    keeper.grant(intent);
                    return attempt;
                }
                if (intent.isOver() || patience.isOver()) {
                    return attempt;
                }
                pauses.sleep(attempt, patience.remainingNanos());
            }
        } finally {
            if (!entered) {
                intent.close();
            }
        }
    }

    /** Asks until the database gives a clear answer. Asking twice does no harm. */
    private Attempt ask(LeaseRequest request, HeldLease intent, Patience patience) throws InterruptedException {
        try {
            return Objects.requireNonNull(Retry.run(patience, () -> askOnce(request, intent)));
        } catch (SqlFailure e) {
            throw errors.explain(e);
        }
    }

    private static Attempt askOnce(LeaseRequest request, HeldLease intent) throws SqlFailure {
        if (intent.isOver()) {
            return Attempt.outOfTurn();
        }
        List<LeaseRow> rows = request.enter(intent.owner(), intent.length());
        boolean ours = rows.stream().anyMatch(row -> row.isOwnedBy(intent.owner()));
        // The answer may be old by now; the lease must not have expired.
        if (ours && intent.isValid()) {
            return Attempt.won(intent);
        }
        return rows.isEmpty() || ours ? Attempt.outOfTurn() : Attempt.busy(rows.get(0), LeaseKind.READER);
    }
}
