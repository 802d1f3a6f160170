package dev.dibs.internal.fair;

import dev.dibs.internal.acquire.Attempt;
import dev.dibs.internal.acquire.LeaseRequest;
import dev.dibs.internal.lease.LeaseKind;
import dev.dibs.internal.lease.LeaseRow;
import dev.dibs.internal.sql.errors.SqlFailure;
import dev.dibs.internal.sql.run.Database;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The request for a place in the queue: a lease without events for listeners. */
record TicketRequest(Database database, String name) implements LeaseRequest {

    @Override
    public LeaseKind kind() {
        return LeaseKind.TICKET;
    }

    @Override
    public List<LeaseRow> acquire(String owner, String holder, long lease) throws SqlFailure {
        return LeaseKind.TICKET.acquire(database, params(owner, holder, lease), lease, LeaseRow::isHeld);
    }

    @Override
    public @Nullable Attempt look() {
        return null;
    }
}
