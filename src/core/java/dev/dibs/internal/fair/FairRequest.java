package dev.dibs.internal.fair;

import dev.dibs.internal.acquire.AcquireOutcome;
import dev.dibs.internal.acquire.LeaseRequest;
import dev.dibs.internal.acquire.LockRequest;
import dev.dibs.internal.acquire.calls.AcquireStatement;
import dev.dibs.internal.lease.HeldLease;
import dev.dibs.internal.lease.LeaseKind;
import dev.dibs.internal.lease.LeaseRow;
import dev.dibs.internal.sql.call.Database;
import dev.dibs.internal.sql.call.Params;
import dev.dibs.internal.sql.errors.SqlFailure;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The request for a fair lock, by the statements of {@code fair.sql}. It checks whether earlier callers wait.
 *
 * @param lock the lock
 * @param ticket the caller's place in the queue; null for a caller that has not begun to wait and comes after all others
 */
record FairRequest(LockRequest lock, @Nullable HeldLease ticket) implements LeaseRequest {

    @Override
    public LeaseKind kind() {
        return lock.kind();
    }

    @Override
    public String name() {
        return lock.name();
    }

    @Override
    public long hold() {
        return lock.hold();
    }

    @Override
    public AcquireStatement statement(Database database) {
        return lock.statement(database);
    }

    /** A queue that cannot be read must not be bypassed. */
    @Override
    public boolean requiresLook() {
        return true;
    }

    @Override
    public @Nullable AcquireOutcome look(Database database) throws SqlFailure {
        Params params = Params.of("name", name())
                .with("number", ticket == null ? Long.MAX_VALUE : ticket.fencingToken())
                .with("owner", ticket == null ? "" : ticket.owner());
        List<AcquireOutcome> inTheWay = database.call(
                        "look_turn",
                        params,
                        LockRequest.LOOK_TIMEOUT,
                        row -> row.getInt("ahead") == 0
                                ? AcquireOutcome.busy(LeaseRow.read(row), LeaseKind.LOCK)
                                : AcquireOutcome.outOfTurn())
                .rows();
        // The holder of the lock tells the caller more than an earlier waiter.
        return inTheWay.stream()
                .filter(attempt -> !attempt.isLocked())
                .findFirst()
                .orElse(inTheWay.isEmpty() ? null : inTheWay.get(0));
    }
}
