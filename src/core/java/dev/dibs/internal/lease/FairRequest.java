package dev.dibs.internal.lease;

import dev.dibs.internal.sql.Database;
import dev.dibs.internal.sql.Params;
import dev.dibs.internal.sql.SqlFailure;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How a lock is asked for in turn: with a look at who came before, by the statements of {@code fair.sql}.
 *
 * @param lock the lock
 * @param ticket the asker's place in the line; null for one who has not begun to wait: behind everybody else
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
    public LeaseRequest forTicket() {
        return new TicketRequest(lock.calls().database(), name());
    }

    @Override
    public LeaseRequest alone() {
        return new FairRequest(lock.alone(), ticket);
    }

    @Override
    public LeaseRequest with(@Nullable HeldLease other) {
        return new FairRequest(lock, other);
    }

    @Override
    public List<LeaseRow> acquire(String owner, String holder, long lease) throws SqlFailure {
        return lock.acquire(owner, holder, lease);
    }

    @Override
    public @Nullable Attempt look() throws SqlFailure {
        Params params = Params.of("name", name())
                .with("number", ticket == null ? Long.MAX_VALUE : ticket.fence())
                .with("owner", ticket == null ? "" : ticket.owner());
        List<Attempt> inTheWay = lock.calls()
                .database()
                .call(
                        "look_turn",
                        params,
                        LockRequest.LOOK_TIMEOUT,
                        row -> row.getInt("ahead") == 0 ? Attempt.busy(LeaseRow.read(row)) : Attempt.outOfTurn())
                .rows();
        // Who has the lock is better to know than that somebody came before.
        return inTheWay.stream()
                .filter(attempt -> !attempt.isLocked())
                .findFirst()
                .orElse(inTheWay.isEmpty() ? null : inTheWay.get(0));
    }

    @Override
    public boolean hasSteps() {
        return lock.hasSteps();
    }

    /** A place in the line: a lease that nobody hears of. */
    private record TicketRequest(Database database, String name) implements LeaseRequest {

        @Override
        public LeaseKind kind() {
            return LeaseKind.TICKET;
        }

        @Override
        public boolean isIntent() {
            return true;
        }

        @Override
        public List<LeaseRow> acquire(String owner, String holder, long lease) throws SqlFailure {
            return LeaseKind.TICKET.acquire(database, params(owner, holder, lease), lease, LeaseRow::isHeld);
        }

        @Override
        public @Nullable Attempt look() {
            return null;
        }

        @Override
        public boolean hasSteps() {
            return LeaseKind.TICKET.hasSteps(database);
        }
    }
}
