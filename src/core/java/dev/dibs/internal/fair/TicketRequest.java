package dev.dibs.internal.fair;

import dev.dibs.internal.acquire.AcquireOutcome;
import dev.dibs.internal.acquire.LeaseRequest;
import dev.dibs.internal.acquire.calls.AcquireStatement;
import dev.dibs.internal.lease.LeaseKeys;
import dev.dibs.internal.lease.LeaseKind;
import dev.dibs.internal.lease.LeaseRow;
import dev.dibs.internal.sql.errors.SqlFailure;
import dev.dibs.internal.sql.run.Database;
import dev.dibs.internal.sql.run.FreeText;
import dev.dibs.internal.sql.run.NamedStatement;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The request for a place in the queue: a lease without events for listeners. */
record TicketRequest(Database database, String name) implements LeaseRequest, AcquireStatement {

    private static final NamedStatement<LeaseRow> ACQUIRE =
            LeaseKind.TICKET.acquire().stopsWhen(LeaseRow::isHeld);

    @Override
    public AcquireStatement statement() {
        return this;
    }

    @Override
    public LeaseKind kind() {
        return LeaseKind.TICKET;
    }

    @Override
    public List<LeaseRow> acquire(LeaseKeys.Key key, FreeText holder, long lease) throws SqlFailure {
        return database.call(ACQUIRE, LeaseKind.timeout(lease), key.name(), key.owner(), holder, lease)
                .rows();
    }

    @Override
    public @Nullable AcquireOutcome look() {
        return null;
    }
}
