package dev.dibs.internal.acquire;

import dev.dibs.internal.acquire.calls.AcquireStatement;
import dev.dibs.internal.lease.LeaseKeys;
import dev.dibs.internal.lease.LeaseKind;
import dev.dibs.internal.lease.LeaseRow;
import dev.dibs.internal.sql.call.Database;
import dev.dibs.internal.sql.call.Label;
import dev.dibs.internal.sql.call.NamedStatement;
import dev.dibs.internal.sql.errors.SqlFailure;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The request for one permit of a semaphore: the statements of {@code semaphores.sql}. */
public record PermitRequest(String name, long permits) implements LeaseRequest {

    private static final NamedStatement<LeaseRow> ACQUIRE = NamedStatement.of(
                    "acquire_permit", LeaseRow::readSlot, "name", "owner", "holder", "lease", "permits")
            .stopsWhen((row, values) -> row.isHeld());
    private static final NamedStatement<LeaseRow> LOOK =
            NamedStatement.of("look_permit", LeaseRow::readSlot, "name", "permits");

    @Override
    public LeaseKind kind() {
        return LeaseKind.PERMIT;
    }

    /** An expired slot may be locked for the moment of its acquisition, while the next one is free: then it asks again. */
    @Override
    public AcquireStatement statement(Database database) {
        return (key, holder, lease) -> LockedRows.await(key.owner(), () -> acquireOnce(database, key, holder, lease));
    }

    private List<LeaseRow> acquireOnce(Database database, LeaseKeys.Key key, Label holder, long lease)
            throws SqlFailure {
        List<LeaseRow> rows = database.call(
                        ACQUIRE, LeaseKind.timeout(lease), key.name(), key.owner(), holder, lease, permits)
                .rows();
        // The row as it was may be of another slot than the acquired one, so it is left out.
        return rows.stream()
                .filter(row -> row.isOwnedBy(key.owner()))
                .findFirst()
                .map(ours ->
                        rows.stream().filter(row -> row.slot() == ours.slot()).toList())
                .orElse(rows);
    }

    @Override
    public @Nullable AcquireOutcome look(Database database) throws SqlFailure {
        List<LeaseRow> rows =
                database.call(LOOK, LockRequest.LOOK_TIMEOUT, name, permits).rows();
        return AcquireOutcome.inTheWay(rows, kind());
    }
}
